package main

// State is the state that the page and the agent share. Its shape is that of
// the shared-state page of the AG-UI dojo, which works against this server as
// it is.
type State struct {
	Recipe Recipe `json:"recipe"`
}

// Recipe is what is cooked.
type Recipe struct {
	Title              string       `json:"title" jsonschema:"the name of the dish"`
	SkillLevel         string       `json:"skill_level" enum:"Beginner,Intermediate,Advanced"`
	CookingTime        string       `json:"cooking_time" enum:"5 min,15 min,30 min,45 min,60+ min"`
	SpecialPreferences []string     `json:"special_preferences" enum:"High Protein,Low Carb,Spicy,Budget-Friendly,One-Pot Meal,Vegetarian,Vegan"`
	Ingredients        []Ingredient `json:"ingredients"`
	Instructions       []string     `json:"instructions" jsonschema:"the steps, one sentence each"`
}

// Ingredient is one thing that goes in.
type Ingredient struct {
	Icon   string `json:"icon" jsonschema:"an emoji"`
	Name   string `json:"name"`
	Amount string `json:"amount" jsonschema:"a number and a unit"`
}

// blank is the state of a client that has none.
var blank = State{Recipe: Recipe{
	Title:       "A new recipe",
	SkillLevel:  "Beginner",
	CookingTime: "30 min",
}}
