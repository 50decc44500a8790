-- Separation of accounts. A session says for which account it works in the setting `relay.account`; every table with an
-- account shows and takes only that account's rows. Without the setting there are none.

-- NULL also for '*', which stands for all accounts. Planned as a constant: the policies cost no more than the conditions
-- on `account_id` that the statements have anyway.
CREATE FUNCTION current_account() RETURNS bigint LANGUAGE sql STABLE PARALLEL SAFE AS $$
  SELECT nullif(nullif(current_setting('relay.account', true), ''), '*')::bigint
$$;

-- The few tables that a process also uses for all its accounts at once, with '*': the accounts themselves, leases, timers,
-- tokens (a caller's token says for which account), what the transport stores, and what processes tell each other of a
-- link; both are encrypted for each account.
-- Every other table never shows two accounts at once.
CREATE FUNCTION is_shared_table(name name) RETURNS boolean LANGUAGE sql IMMUTABLE AS $$
  SELECT name IN ('accounts', 'account_leases', 'timers', 'tokens', 'whatsapp_credentials', 'whatsapp_keys', 'decrypt_journal', 'inbox',
    'whatsapp_links', 'worker_requests')
$$;

-- Gives every table with an account its policy. Call it at the end of a migration that creates a table. FORCE: the
-- policies also hold for a role that owns the tables.
--
-- Under a policy the server uses an index only for operators that are declared to reveal nothing of rows they do not
-- return. Matching words reveals nothing either, but only a superuser may declare it. Where nobody has, the search index
-- has no policy: there only the statements separate the accounts.
CREATE FUNCTION separate_accounts() RETURNS void LANGUAGE plpgsql SET search_path = relay, pg_temp AS $$
DECLARE
  place record;
  condition text;
BEGIN
  FOR place IN
    SELECT c.oid::regclass AS name, c.relname, a.attname AS account FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid
    WHERE c.relnamespace = 'relay'::regnamespace AND c.relkind IN ('r', 'p') AND NOT c.relispartition
      AND a.attname = CASE c.relname WHEN 'accounts' THEN 'id' ELSE 'account_id' END
      AND NOT EXISTS (SELECT FROM pg_policy p WHERE p.polrelid = c.oid)
      AND (c.relname <> 'search_documents' OR (SELECT proleakproof FROM pg_proc
        WHERE oid = 'pg_catalog.ts_match_vq(tsvector, tsquery)'::regprocedure))
  LOOP
    condition := format('%I = current_account()', place.account);
    IF is_shared_table(place.relname) THEN
      condition := format('%s OR current_setting(''relay.account'', true) = ''*''', condition);
    END IF;
    EXECUTE format('CREATE POLICY one_account ON %s USING (%s)', place.name, condition);
    EXECUTE format('ALTER TABLE %s ENABLE ROW LEVEL SECURITY', place.name);
    EXECUTE format('ALTER TABLE %s FORCE ROW LEVEL SECURITY', place.name);
  END LOOP;
END $$;
DO $$ BEGIN
  ALTER FUNCTION pg_catalog.ts_match_vq(tsvector, tsquery) LEAKPROOF;
EXCEPTION WHEN insufficient_privilege THEN
  NULL;
END $$;
SELECT separate_accounts();

-- What a process needs of several accounts in one statement. Each account is looked at as itself, one after the other:
-- these functions read nothing that the session could not read, and return counts.

-- Where a hint may have been lost: something waits that no loop has taken.
CREATE FUNCTION accounts_with_work(wanted bigint[]) RETURNS SETOF bigint LANGUAGE plpgsql AS $$
DECLARE
  caller text := coalesce(current_setting('relay.account', true), '');
  one bigint;
BEGIN
  FOREACH one IN ARRAY wanted LOOP
    PERFORM set_config('relay.account', one::text, true);
    IF EXISTS (SELECT FROM inbox WHERE account_id = one AND done_at IS NULL)
      OR EXISTS (SELECT FROM outbox WHERE account_id = one AND state IN ('pending', 'unknown') AND told_at IS NULL)
      OR EXISTS (SELECT FROM timers WHERE account_id = one AND due_at < now())
      OR EXISTS (SELECT FROM (SELECT at FROM events WHERE account_id = one ORDER BY xid DESC, id DESC LIMIT 1) newest
        WHERE at > now() - interval '1 minute')
    THEN RETURN NEXT one; END IF;
  END LOOP;
  PERFORM set_config('relay.account', caller, true);
END $$;

-- Of a token that is valid for several accounts.
CREATE FUNCTION account_names(wanted bigint[]) RETURNS text[] LANGUAGE plpgsql AS $$
DECLARE
  caller text := coalesce(current_setting('relay.account', true), '');
  one bigint;
  names text[] := '{}';
BEGIN
  FOR one IN SELECT unnest(wanted) ORDER BY 1 LOOP
    PERFORM set_config('relay.account', one::text, true);
    names := names || (SELECT a.name FROM accounts a WHERE a.id = one);
  END LOOP;
  PERFORM set_config('relay.account', caller, true);
  RETURN names;
END $$;

-- For the list of accounts.
CREATE FUNCTION account_figures(wanted bigint[], OUT account bigint, OUT waiting bigint, OUT hold boolean, OUT sent bigint)
RETURNS SETOF record LANGUAGE plpgsql AS $$
DECLARE
  caller text := coalesce(current_setting('relay.account', true), '');
BEGIN
  FOREACH account IN ARRAY wanted LOOP
    PERFORM set_config('relay.account', account::text, true);
    waiting := (SELECT count(*) FROM approvals p
        WHERE p.account_id = account AND p.state = 'pending' AND p.expires_at > now())
      + (SELECT count(*) FROM instances i WHERE i.account_id = account AND i.state = 'NEEDS_HUMAN_INTERVENTION'
        AND NOT EXISTS (SELECT FROM approvals p WHERE p.account_id = account AND p.instance_id = i.id
          AND p.state = 'pending' AND p.expires_at > now()));
    hold := EXISTS (SELECT FROM holds h WHERE h.account_id = account);
    sent := (SELECT count(*) FROM outbox m WHERE m.account_id = account
      AND m.attempted_at > now() - interval '24 hours' AND m.state IN ('sent', 'delivered', 'read'));
    RETURN NEXT;
  END LOOP;
  PERFORM set_config('relay.account', caller, true);
END $$;

-- For auditors, in a schema of its own: how much there is of what in each account, and no content. SECURITY DEFINER,
-- because an auditor's role may read none of the tables.
CREATE SCHEMA IF NOT EXISTS relay_audit;

CREATE OR REPLACE FUNCTION relay_audit.count_rows(OUT account bigint, OUT table_name text, OUT state text, OUT row_count bigint)
RETURNS SETOF record LANGUAGE plpgsql SECURITY DEFINER SET search_path = relay, pg_temp AS $$
DECLARE
  place record;
  accounts_now bigint[];
BEGIN
  PERFORM set_config('relay.account', '*', true);
  accounts_now := ARRAY(SELECT id FROM accounts ORDER BY id);
  FOREACH account IN ARRAY accounts_now LOOP
    PERFORM set_config('relay.account', account::text, true);
    FOR place IN
      SELECT c.oid::regclass AS name, c.relname, EXISTS (SELECT FROM pg_attribute s
        WHERE s.attrelid = c.oid AND s.attname = 'state' AND s.atttypid = 'text'::regtype) AS has_state
      FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid AND a.attname = 'account_id'
      WHERE c.relnamespace = 'relay'::regnamespace AND c.relkind IN ('r', 'p') AND NOT c.relispartition
    LOOP
      table_name := place.relname;
      FOR state, row_count IN EXECUTE format('SELECT %s, count(*) FROM %s WHERE account_id = $1 GROUP BY 1',
        CASE WHEN place.has_state THEN 'state' ELSE 'NULL::text' END, place.name) USING account
      LOOP
        RETURN NEXT;
      END LOOP;
    END LOOP;
  END LOOP;
  PERFORM set_config('relay.account', '', true);
END $$;
REVOKE EXECUTE ON FUNCTION relay_audit.count_rows() FROM PUBLIC;

CREATE OR REPLACE VIEW relay_audit.rows AS SELECT account, table_name, state, row_count FROM relay_audit.count_rows();

CREATE OR REPLACE VIEW relay_audit.sizes AS
  SELECT c.relname::text AS table_name, sum(pg_total_relation_size(p.relid))::bigint AS bytes, sum(pg_indexes_size(p.relid))::bigint AS index_bytes
  FROM pg_class c, LATERAL (SELECT c.oid AS relid WHERE c.relkind = 'r'
    UNION ALL SELECT t.relid FROM pg_partition_tree(c.oid) t WHERE c.relkind = 'p' AND t.isleaf) p
  WHERE c.relnamespace = 'relay'::regnamespace AND c.relkind IN ('r', 'p') AND NOT c.relispartition
  GROUP BY 1;
