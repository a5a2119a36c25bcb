// [claims]

package main

import (
	"context"
	"database/sql"
)

// claims makes an answer count once among all processes that share a database
// with the table
//
//	create table claims (id varchar(255) primary key, at timestamp default current_timestamp)
type claims struct{ db *sql.DB }

// Claim inserts the id: of all who try, the primary key lets one.
func (c claims) Claim(ctx context.Context, interruptID string) (bool, error) {
	r, err := c.db.ExecContext(ctx, "insert into claims (id) values ($1) on conflict do nothing", interruptID)
	if err != nil {
		return false, err
	}
	n, err := r.RowsAffected()
	return n == 1, err
}

// [end]
