"""The schemas, as SQL: the first, then what each later one changes; what was released is never edited.

``item`` holds what every kind of record has in common, so that one full-text index, one chunk table and one
visibility rule serve turns, summaries, memories, guidance, directives and lore alike.
"""

from __future__ import annotations

SCHEMA_1 = """
CREATE TABLE meta(
  key TEXT PRIMARY KEY,
  value
) WITHOUT ROWID;

-- kind: records.ScopeKind. owner: the user whose session it is, empty for shared scopes.
CREATE TABLE scope(
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  name TEXT NOT NULL,
  kind INTEGER NOT NULL,
  owner TEXT NOT NULL DEFAULT '',
  UNIQUE(name, owner)
);

-- fork_id: the last turn that a resumed or forked session shares with its parent; NULL when the parent is only
-- named by the host and no talk was copied.
CREATE TABLE session(
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  key TEXT NOT NULL,
  user TEXT NOT NULL,
  scope_id INTEGER NOT NULL REFERENCES scope(id),
  host TEXT,
  agent TEXT,
  project TEXT,
  cwd TEXT,
  kind TEXT NOT NULL DEFAULT 'main',
  parent_id INTEGER REFERENCES session(id) ON DELETE SET NULL,
  fork_id INTEGER,
  first_ms INTEGER,
  last_ms INTEGER,
  next_seq INTEGER NOT NULL DEFAULT 1,
  gone_ms INTEGER,
  UNIQUE(key, user)
);
CREATE INDEX session_parent ON session(parent_id) WHERE parent_id IS NOT NULL;
CREATE INDEX session_fork ON session(fork_id) WHERE fork_id IS NOT NULL;

-- text comes last, so that a scan of the other columns does not follow its overflow pages.
-- active: in the active index; 0 for archived, superseded, covered and undone items.
CREATE TABLE item(
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  uid TEXT NOT NULL UNIQUE,
  kind INTEGER NOT NULL,
  scope_id INTEGER NOT NULL REFERENCES scope(id),
  session_id INTEGER REFERENCES session(id),
  project TEXT,
  agent TEXT,
  type TEXT,
  tokens INTEGER NOT NULL,
  ts_ms INTEGER NOT NULL,
  created_ms INTEGER NOT NULL,
  active INTEGER NOT NULL DEFAULT 1,
  role TEXT,
  speaker TEXT,
  seq INTEGER,
  text TEXT NOT NULL
);
CREATE INDEX item_session ON item(session_id, kind, ts_ms, seq) WHERE session_id IS NOT NULL;
CREATE INDEX item_seq ON item(session_id, seq) WHERE kind = 1;
CREATE INDEX item_kind ON item(kind, scope_id) WHERE kind <> 1;

-- device, inode: text, since ReFS has file ids of 128 bits.
CREATE TABLE source(
  id INTEGER PRIMARY KEY,
  path TEXT NOT NULL UNIQUE,
  host TEXT NOT NULL,
  form TEXT NOT NULL,
  device TEXT NOT NULL DEFAULT '0',
  inode TEXT NOT NULL DEFAULT '0',
  size INTEGER NOT NULL DEFAULT 0,
  offset INTEGER NOT NULL DEFAULT 0,
  mtime_ns INTEGER NOT NULL DEFAULT 0,
  head_sha256 TEXT NOT NULL DEFAULT '',
  head_bytes INTEGER NOT NULL DEFAULT 0,
  tail_sha256 TEXT NOT NULL DEFAULT '',
  lines INTEGER NOT NULL DEFAULT 0,
  bad_lines INTEGER NOT NULL DEFAULT 0,
  oversize_lines INTEGER NOT NULL DEFAULT 0,
  waiting_bytes INTEGER NOT NULL DEFAULT 0,
  session_key TEXT,
  positions TEXT NOT NULL DEFAULT '{}',
  parser TEXT NOT NULL DEFAULT '{}',
  has_cursor INTEGER NOT NULL DEFAULT 1,
  state TEXT NOT NULL DEFAULT 'ok',
  state_ms INTEGER NOT NULL DEFAULT 0,
  last_read_ms INTEGER NOT NULL DEFAULT 0,
  turns INTEGER NOT NULL DEFAULT 0
);

-- owner: the user's scope. The same event told by two users is two turns: neither may see the other's.
-- gated: 0 waiting, 1 done, 2 not eligible.
CREATE TABLE turn(
  item_id INTEGER PRIMARY KEY REFERENCES item(id) ON DELETE CASCADE,
  owner INTEGER NOT NULL REFERENCES scope(id),
  event_key TEXT,
  content_key TEXT NOT NULL,
  external_id TEXT,
  origin TEXT NOT NULL,
  line INTEGER,
  source_id INTEGER REFERENCES source(id) ON DELETE SET NULL,
  ts_known INTEGER NOT NULL DEFAULT 1,
  metadata TEXT,
  gated INTEGER NOT NULL DEFAULT 0,
  covered_by INTEGER REFERENCES item(id) ON DELETE SET NULL,
  undone INTEGER NOT NULL DEFAULT 0
);
CREATE UNIQUE INDEX turn_event ON turn(event_key, owner) WHERE event_key IS NOT NULL;
CREATE UNIQUE INDEX turn_content ON turn(content_key, owner);
CREATE INDEX turn_gate ON turn(item_id) WHERE gated = 0;
CREATE INDEX turn_covered ON turn(covered_by) WHERE covered_by IS NOT NULL;
CREATE INDEX turn_source ON turn(source_id) WHERE source_id IS NOT NULL;

-- A turn that another session's file holds too (resume, fork, archive).
CREATE TABLE sighting(
  session_id INTEGER NOT NULL REFERENCES session(id) ON DELETE CASCADE,
  item_id INTEGER NOT NULL REFERENCES item(id) ON DELETE CASCADE,
  PRIMARY KEY(session_id, item_id)
) WITHOUT ROWID;
CREATE INDEX sighting_item ON sighting(item_id);

-- Who speaks in which scope: a question that names somebody must know the names, without a look at every turn.
CREATE TABLE speaker(
  scope_id INTEGER NOT NULL REFERENCES scope(id),
  name TEXT NOT NULL,
  PRIMARY KEY(scope_id, name)
) WITHOUT ROWID;

CREATE TABLE memory(
  item_id INTEGER PRIMARY KEY REFERENCES item(id) ON DELETE CASCADE,
  confidence REAL NOT NULL,
  confirmations INTEGER NOT NULL DEFAULT 1,
  priority INTEGER NOT NULL,
  ttl_ms INTEGER,
  expires_ms INTEGER,
  archived_ms INTEGER,
  superseded_by INTEGER REFERENCES item(id) ON DELETE SET NULL,
  content_hash TEXT NOT NULL,
  subject TEXT,
  slot TEXT,
  source_turn INTEGER REFERENCES item(id) ON DELETE SET NULL,
  signals TEXT,
  recalls INTEGER NOT NULL DEFAULT 0,
  last_recalled_ms INTEGER
);
CREATE INDEX memory_hash ON memory(content_hash);
CREATE INDEX memory_slot ON memory(subject, slot) WHERE subject IS NOT NULL;
CREATE INDEX memory_source ON memory(source_turn) WHERE source_turn IS NOT NULL;
CREATE INDEX memory_expiry ON memory(expires_ms) WHERE expires_ms IS NOT NULL AND archived_ms IS NULL;
CREATE INDEX memory_successor ON memory(superseded_by) WHERE superseded_by IS NOT NULL;

CREATE TABLE relation(
  from_id INTEGER NOT NULL REFERENCES item(id) ON DELETE CASCADE,
  to_id INTEGER NOT NULL REFERENCES item(id) ON DELETE CASCADE,
  kind TEXT NOT NULL,
  created_ms INTEGER NOT NULL,
  PRIMARY KEY(from_id, to_id, kind)
) WITHOUT ROWID;
CREATE INDEX relation_to ON relation(to_id);

CREATE TABLE summary(
  item_id INTEGER PRIMARY KEY REFERENCES item(id) ON DELETE CASCADE,
  session_id INTEGER NOT NULL REFERENCES session(id),
  level INTEGER NOT NULL,
  method TEXT NOT NULL,
  confidence REAL NOT NULL,
  align REAL NOT NULL,
  cover REAL NOT NULL,
  ident REAL NOT NULL,
  tokens_in INTEGER NOT NULL,
  covered_by INTEGER REFERENCES item(id) ON DELETE SET NULL
);
CREATE INDEX summary_session ON summary(session_id, level);
CREATE INDEX summary_covered ON summary(covered_by) WHERE covered_by IS NOT NULL;

CREATE TABLE coverage(
  parent_id INTEGER NOT NULL REFERENCES item(id) ON DELETE CASCADE,
  child_id INTEGER NOT NULL REFERENCES item(id) ON DELETE CASCADE,
  position INTEGER NOT NULL,
  PRIMARY KEY(parent_id, child_id)
) WITHOUT ROWID;
CREATE INDEX coverage_child ON coverage(child_id);

CREATE TABLE guidance(
  item_id INTEGER PRIMARY KEY REFERENCES item(id) ON DELETE CASCADE,
  turn_id INTEGER NOT NULL UNIQUE REFERENCES item(id) ON DELETE CASCADE,
  session_id INTEGER NOT NULL REFERENCES session(id)
);
CREATE INDEX guidance_session ON guidance(session_id);

-- state: present, unreadable, missing_once, gone.
CREATE TABLE document(
  id INTEGER PRIMARY KEY,
  path TEXT NOT NULL UNIQUE,
  host TEXT NOT NULL,
  scope_id INTEGER NOT NULL REFERENCES scope(id),
  instructions INTEGER NOT NULL,
  digest TEXT NOT NULL,
  size INTEGER NOT NULL,
  mtime_ns INTEGER NOT NULL,
  state TEXT NOT NULL,
  state_ms INTEGER NOT NULL,
  first_missing_ms INTEGER,
  ord INTEGER NOT NULL DEFAULT 0,
  tokens_hard INTEGER NOT NULL DEFAULT 0,
  tokens_soft INTEGER NOT NULL DEFAULT 0,
  degraded INTEGER NOT NULL DEFAULT 0,
  imported_by TEXT
);
CREATE INDEX document_scope ON document(scope_id);

CREATE TABLE node(
  item_id INTEGER PRIMARY KEY REFERENCES item(id) ON DELETE CASCADE,
  document_id INTEGER NOT NULL REFERENCES document(id) ON DELETE CASCADE,
  ordinal INTEGER NOT NULL,
  tier TEXT NOT NULL,
  block TEXT NOT NULL,
  start INTEGER NOT NULL,
  end_ INTEGER NOT NULL,
  line_start INTEGER NOT NULL,
  line_end INTEGER NOT NULL,
  heading TEXT,
  modalities TEXT NOT NULL DEFAULT ''
);
CREATE INDEX node_document ON node(document_id, ordinal);

-- state: 0 pending, 1 ready, 2 failed. A ready row of another fingerprint than the database's is pending too.
CREATE TABLE chunk(
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  item_id INTEGER NOT NULL REFERENCES item(id) ON DELETE CASCADE,
  window INTEGER NOT NULL DEFAULT 0,
  start INTEGER NOT NULL DEFAULT 0,
  end_ INTEGER NOT NULL,
  state INTEGER NOT NULL DEFAULT 0,
  fingerprint TEXT,
  vector BLOB
);
CREATE INDEX chunk_item ON chunk(item_id);
CREATE INDEX chunk_state ON chunk(state, fingerprint);

CREATE VIRTUAL TABLE fts_word USING fts5(
  text, content='item', content_rowid='id', tokenize='porter unicode61 remove_diacritics 0'
);
CREATE VIRTUAL TABLE fts_side USING fts5(
  text, content='', contentless_delete=1, tokenize="unicode61 remove_diacritics 0 tokenchars '_'"
);
-- A deleted text leaves the index at once, not at the next merge.
INSERT INTO fts_word(fts_word, rank) VALUES('secure-delete', 1);

CREATE TRIGGER item_insert AFTER INSERT ON item BEGIN
  INSERT INTO fts_word(rowid, text) VALUES(new.id, new.text);
END;
CREATE TRIGGER item_delete AFTER DELETE ON item BEGIN
  INSERT INTO fts_word(fts_word, rowid, text) VALUES('delete', old.id, old.text);
  DELETE FROM fts_side WHERE rowid = old.id;
END;
CREATE TRIGGER item_update AFTER UPDATE OF text ON item BEGIN
  INSERT INTO fts_word(fts_word, rowid, text) VALUES('delete', old.id, old.text);
  INSERT INTO fts_word(rowid, text) VALUES(new.id, new.text);
END;

CREATE TABLE tombstone(
  id INTEGER PRIMARY KEY,
  uid TEXT NOT NULL,
  owner TEXT NOT NULL,
  event_key TEXT,
  content_key TEXT,
  text_hash TEXT NOT NULL,
  vector BLOB,
  fingerprint TEXT,
  created_ms INTEGER NOT NULL,
  hits INTEGER NOT NULL DEFAULT 0
);
CREATE INDEX tombstone_event ON tombstone(event_key) WHERE event_key IS NOT NULL;
CREATE INDEX tombstone_content ON tombstone(content_key) WHERE content_key IS NOT NULL;
CREATE INDEX tombstone_text ON tombstone(text_hash);

CREATE TABLE receipt(
  id TEXT PRIMARY KEY,
  created_ms INTEGER NOT NULL,
  session_key TEXT,
  query_hash TEXT NOT NULL,
  tokens INTEGER NOT NULL,
  budget INTEGER NOT NULL,
  items TEXT NOT NULL,
  degraded TEXT NOT NULL
);
CREATE INDEX receipt_time ON receipt(created_ms);

CREATE TABLE injected(
  line_hash TEXT NOT NULL,
  session_key TEXT NOT NULL,
  created_ms INTEGER NOT NULL,
  receipt_id TEXT,
  PRIMARY KEY(line_hash, session_key)
) WITHOUT ROWID;
CREATE INDEX injected_time ON injected(created_ms);

CREATE TABLE request(
  id TEXT PRIMARY KEY,
  created_ms INTEGER NOT NULL,
  result TEXT NOT NULL
);
CREATE INDEX request_time ON request(created_ms);
"""

SCHEMA_2 = """
-- A memory holds from when it was told until its successor was told; valid_to_ms is NULL while it holds.
-- touched_ms: told, confirmed or recalled last; confidence is as of then. It stays as it was when a memory is superseded.
ALTER TABLE memory ADD COLUMN valid_from_ms INTEGER NOT NULL DEFAULT 0;
ALTER TABLE memory ADD COLUMN valid_to_ms INTEGER;
ALTER TABLE memory ADD COLUMN touched_ms INTEGER NOT NULL DEFAULT 0;
ALTER TABLE memory ADD COLUMN priority_manual INTEGER NOT NULL DEFAULT 0;
ALTER TABLE memory ADD COLUMN ttl_manual INTEGER NOT NULL DEFAULT 0;
UPDATE memory SET valid_from_ms = item.ts_ms, touched_ms = max(item.ts_ms, coalesce(memory.last_recalled_ms, 0))
  FROM item WHERE item.id = memory.item_id;
UPDATE memory SET valid_to_ms = next.ts_ms, confidence = 0.6
  FROM item AS next WHERE next.id = memory.superseded_by;

-- What was changed, so that it can be undone. before: for each item the columns that changed, [old, new].
CREATE TABLE journal(
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  at_ms INTEGER NOT NULL,
  verb TEXT NOT NULL,
  owner TEXT NOT NULL,
  actor TEXT NOT NULL,
  before TEXT NOT NULL,
  undone_ms INTEGER
);
CREATE INDEX journal_time ON journal(at_ms);
CREATE TABLE journal_item(
  item_id INTEGER NOT NULL REFERENCES item(id) ON DELETE CASCADE,
  journal_id INTEGER NOT NULL REFERENCES journal(id) ON DELETE CASCADE,
  PRIMARY KEY(item_id, journal_id)
) WITHOUT ROWID;
CREATE INDEX journal_item_journal ON journal_item(journal_id);

-- What became of a memory that went into a prompt: 1 used in the answer, 0 not used, -1 called wrong.
CREATE TABLE use(
  item_id INTEGER NOT NULL REFERENCES item(id) ON DELETE CASCADE,
  receipt_id TEXT NOT NULL,
  session_key TEXT NOT NULL,
  at_ms INTEGER NOT NULL,
  used INTEGER NOT NULL,
  PRIMARY KEY(item_id, receipt_id)
) WITHOUT ROWID;
CREATE INDEX use_receipt ON use(receipt_id);
CREATE INDEX use_time ON use(at_ms);
-- What a conversation was shown lately, and the budget of its last prompt.
CREATE INDEX receipt_session ON receipt(session_key, created_ms) WHERE session_key IS NOT NULL;
-- One outcome a memory, for calibration: its gate score and whether it proved useful. No reference: a forgotten
-- memory's number stays, nothing else of it.
CREATE TABLE label(
  item_id INTEGER PRIMARY KEY,
  g REAL NOT NULL,
  useful INTEGER NOT NULL,
  cause TEXT NOT NULL,
  at_ms INTEGER NOT NULL
);
"""
