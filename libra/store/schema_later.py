"""What later schemas change, as SQL: see :mod:`libra.store.schema`."""

from __future__ import annotations

SCHEMA_3 = """
-- Who a prompt was for, how many ms it took, and what was left out and why: ids and reasons, no words.
ALTER TABLE receipt ADD COLUMN user TEXT;
ALTER TABLE receipt ADD COLUMN agent TEXT;
ALTER TABLE receipt ADD COLUMN host TEXT;
ALTER TABLE receipt ADD COLUMN project TEXT;
ALTER TABLE receipt ADD COLUMN took_ms REAL;
ALTER TABLE receipt ADD COLUMN left_out TEXT NOT NULL DEFAULT '[]';
-- "Never here": what a person does not want in the prompts of a place (project:…, agent:…, host:…, session:…).
CREATE TABLE never(
  place TEXT NOT NULL,
  item_id INTEGER NOT NULL REFERENCES item(id) ON DELETE CASCADE,
  created_ms INTEGER NOT NULL,
  PRIMARY KEY(place, item_id)
) WITHOUT ROWID;
CREATE INDEX never_item ON never(item_id);
-- What a person sets down by name: rule, card, intent (store/ledger.py). body: JSON, by kind. owner: the user.
CREATE TABLE ledger(
  id INTEGER PRIMARY KEY, kind TEXT NOT NULL, owner TEXT NOT NULL, name TEXT NOT NULL, body TEXT NOT NULL,
  version INTEGER NOT NULL DEFAULT 1, created_ms INTEGER NOT NULL, changed_ms INTEGER NOT NULL, UNIQUE(kind, owner, name)
);
-- What is known of words that a person had scrubbed (libra.text.keptout): enough to keep them out, not the words.
CREATE TABLE kept_out(
  hash TEXT PRIMARY KEY, salt TEXT NOT NULL, length INTEGER NOT NULL, sieve INTEGER NOT NULL, created_ms INTEGER NOT NULL
) WITHOUT ROWID;
-- What hosts said of their sessions' lives (store/hints.py); what the gate refused, in numbers (store/refusals.py).
CREATE TABLE hint(id INTEGER PRIMARY KEY, at_ms INTEGER NOT NULL, user TEXT NOT NULL, session TEXT NOT NULL, hook TEXT NOT NULL, body TEXT NOT NULL);
CREATE TABLE refusal(item_id INTEGER PRIMARY KEY REFERENCES item(id) ON DELETE CASCADE, why TEXT NOT NULL, at_ms INTEGER NOT NULL, signals TEXT NOT NULL);
-- Files that an export was written to: scrub looks there too.
CREATE TABLE export_file(path TEXT PRIMARY KEY, at_ms INTEGER NOT NULL) WITHOUT ROWID;
-- What stands in the Markdown mirror (engine/mirror.py): in which file, and a hash of the words as they were written.
CREATE TABLE mirrored(uid TEXT PRIMARY KEY, file TEXT NOT NULL, hash TEXT NOT NULL) WITHOUT ROWID;
-- Why no model wrote a summary, where one was set: a short stable word.
ALTER TABLE summary ADD COLUMN refused TEXT;
"""

SCHEMA_4 = """
-- What became of instruction files' lines, and when (store/rule_history.py). tier: what a line became; was: before.
CREATE TABLE rule_change(
  id INTEGER PRIMARY KEY AUTOINCREMENT, at_ms INTEGER NOT NULL, what TEXT NOT NULL, path TEXT NOT NULL,
  scope_id INTEGER NOT NULL REFERENCES scope(id), uid TEXT NOT NULL, line_start INTEGER NOT NULL, line_end INTEGER NOT NULL,
  tier TEXT, was TEXT, text TEXT NOT NULL, before TEXT NOT NULL, since_ms INTEGER
);
CREATE INDEX rule_change_path ON rule_change(path, id);
-- What a person has shared: with which scope (project:…, agent:…, global). Who sees that scope reads it there; it stays its owner's.
CREATE TABLE shared(
  place TEXT NOT NULL,
  item_id INTEGER NOT NULL REFERENCES item(id) ON DELETE CASCADE,
  created_ms INTEGER NOT NULL,
  PRIMARY KEY(place, item_id)
) WITHOUT ROWID;
CREATE INDEX shared_item ON shared(item_id);
-- The names that speak anywhere, without a look at each session.
CREATE INDEX speaker_name ON speaker(name, scope_id);
-- Turns that moved to another session left their speakers behind.
DELETE FROM speaker WHERE (scope_id, name) NOT IN (SELECT scope_id, speaker FROM item WHERE kind = 1 AND speaker IS NOT NULL);
"""
