package main

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"strings"
	"sync"
	"testing"

	"github.com/aguistate/aguistate/middleware/chat"
)

var _ chat.ResumeStore = claims{}

// table is a database that knows the one statement.
type table struct {
	mu   sync.Mutex
	rows map[any]bool
}

func (t *table) Connect(context.Context) (driver.Conn, error) { return conn{t}, nil }
func (t *table) Driver() driver.Driver                        { return nil }

type conn struct{ *table }

func (conn) Prepare(string) (driver.Stmt, error) { return nil, errors.ErrUnsupported }
func (conn) Begin() (driver.Tx, error)           { return nil, errors.ErrUnsupported }
func (conn) Close() error                        { return nil }

func (c conn) ExecContext(_ context.Context, query string, args []driver.NamedValue) (driver.Result, error) {
	if !strings.HasSuffix(query, "on conflict do nothing") {
		return nil, errors.ErrUnsupported
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.rows[args[0].Value] {
		return driver.RowsAffected(0), nil
	}
	c.rows[args[0].Value] = true
	return driver.RowsAffected(1), nil
}

func TestClaims(t *testing.T) {
	db := sql.OpenDB(&table{rows: map[any]bool{}})
	defer db.Close()
	for i, want := range []bool{true, false, false} {
		if first, err := (claims{db}).Claim(t.Context(), "ask-1"); err != nil || first != want {
			t.Errorf("claim %d: first is %t, %v", i, first, err)
		}
	}
	ctx, stop := context.WithCancel(t.Context())
	stop()
	if _, err := (claims{db}).Claim(ctx, "ask-2"); !errors.Is(err, context.Canceled) {
		t.Errorf("a context that has ended: %v", err)
	}
}
