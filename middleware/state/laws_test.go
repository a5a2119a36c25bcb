package state_test

import (
	"fmt"
	"testing"
)

// laws says which tests hold the package to each law of the state.
var laws = map[int][]func(*testing.T){
	// Snapshot first, then what is smaller, nothing when nothing changed.
	1: {TestManagerDecides, TestLaw1AnInterruptIsPrecededByASnapshot, TestLaw1ManyQuestionsOneSnapshot, TestFirstPublishIsASnapshotEvenUnchanged, TestManagerResetMakesASnapshot, TestUpdateEditPublish, TestGoldenStreams},
	// It is decided where the document passes Share.
	2: {
		TestLaw2LayersThatTouchCarriers, TestLaw2PublishesOutsideARun, TestLaw2ARunAroundShare, TestLaw2AnUnsentEditStays, TestLaw2WhatIsDecidedIsSentBeforeAnError, TestLaw2AnAgentAsAToolHasItsOwnState,
		TestLaw2AChainThatCallsItself, TestLaw2AnAgentAsAToolEditsTheStateAround, TestLaw2OneShareIsNotAskedTwiceAtOnce, TestLaw2AnAgentGoesOnFromTheDocument, TestLaw2AnAgentAsAToolIsHandedTheStateAround, TestSnapshotByHandWhileAToolPublishes,
		TestOuterLayerPublishesMeanwhile, TestTwoSharesPanic, TestTwoCallsOfOneRunShareTheState, TestGoldenStreams,
	},
	// Every delta applies and gives exactly the document.
	3: {
		TestLaw3TheBaseOfADeltaIsWhatTheClientHolds, TestPropertyTheMirrorIsTheDocument, TestPropertyTheMirrorIsTheDocumentOfARun,
		TestManagerDecides, TestAnEventIsFrozen, TestOneToolRemovesWhatAnotherAdded, TestWhatCouldNotBeSentIsSentAgain, TestHugeList,
	},
	// A typed edit is a change to the document.
	4: {TestLaw4AnEditChangesTheDocument, TestLaw4TheValueIsAViewOfTheDocument, TestNilSlicesAndMapsAreEmpty},
	// Errors and panics undo their own edit, and no edit is lost.
	5: {
		TestLaw5ValuesThatCannotBeTold, TestLaw5EditsAreUndoneOneByOne, TestFailedEditIsUndone, TestParallelToolsLoseNothing,
		TestAnEditInsideAnEditSaysSo, TestEditsWaitForEachOther, TestEditThatIsNoJSON,
	},
	// Nothing is the default, and what does not fit ends the run.
	6: {TestDefaultWhereTheClientSendsNothing, TestDocumentThatDoesNotFit, TestMaxBytesAndValidate, TestGoldenStreams},
	// The input's state is the whole, and runs share nothing.
	7: {TestLaw7TheClientsDocumentCounts, TestRunsShareNothing},
	// State events lie inside the call that made them.
	8: {TestGoldenStreams, TestGoldenPredictions, TestPlanMovesStepByStep},
	// One event for a publish; what a model writes lies over the document.
	9: {
		TestLaw9ByHandWhileAGenerationShows, TestLaw9AnAgentIsHandedWhatIsSettled, TestLaw9APanicTakesBackWhatWasShown, TestLaw9FunctionsThatFail, TestLaw9CopiedCarriersWhileAPredictionShows,
		TestGoldenGenerations, TestEveryCutGivesTheSame, TestToolEditsDuringAFailingGeneration, TestTwoGenerators,
		TestStoppedGenerationIsTakenBack, TestPredictParallelCalls, TestAGrowingStringIsSentAtMostSixTimes, TestParallelToolsLoseNothing,
	},
	// The model sees the current document, and only that.
	10: {TestModelSeesTheCurrentDocument, TestHide, TestGenerateAsksInPrivate, TestGenerateKeepsWhatIsHidden},
}

func TestEveryLawIsTested(t *testing.T) {
	for law := 1; law <= 10; law++ {
		if len(laws[law]) == 0 {
			t.Error(fmt.Sprint("nothing tests law ", law))
		}
	}
}
