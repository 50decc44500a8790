// The daemon's database role: it uses the tables, owns nothing and is not a superuser. Another role owns and migrates
// them. So a fault in the daemon can neither alter a table, nor disable a trigger, nor change the ledger.
import { sql } from 'kysely';
import type pg from 'pg';
import { escapeIdentifier, escapeLiteral } from 'pg';
import type { Db } from './database.ts';

export interface DaemonRole {
  readonly user: string;
  readonly password: string;
}

const SCHEMAS = ['relay', 'relay_jobs'];

/** Creates the role if it does not exist. `reset`: an existing one gets this password. */
export async function createDaemonRole(
  owner: pg.ClientBase | pg.Pool,
  { user, password }: DaemonRole,
  { reset }: { readonly reset: boolean },
): Promise<void> {
  const role = escapeIdentifier(user);
  const may = `LOGIN NOSUPERUSER NOCREATEDB NOCREATEROLE NOREPLICATION PASSWORD ${escapeLiteral(password)}`;
  await owner.query(`DO $make$ BEGIN
    IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = ${escapeLiteral(user)}) THEN
      CREATE ROLE ${role} ${may};
    ${reset ? `ELSE ALTER ROLE ${role} ${may};` : ''}
    END IF;
  END $make$`);
}

/** Grants the role the use of existing and future tables. It may only read the ledger and append to it. */
export async function grantTableUse(owner: pg.ClientBase | pg.Pool, user: string): Promise<void> {
  const role = escapeIdentifier(user);
  for (const schema of SCHEMAS) {
    await owner.query(`
      GRANT USAGE ON SCHEMA ${schema} TO ${role};
      GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA ${schema} TO ${role};
      GRANT USAGE, SELECT, UPDATE ON ALL SEQUENCES IN SCHEMA ${schema} TO ${role};
      ALTER DEFAULT PRIVILEGES IN SCHEMA ${schema} GRANT SELECT, INSERT, UPDATE, DELETE ON TABLES TO ${role};
      ALTER DEFAULT PRIVILEGES IN SCHEMA ${schema} GRANT USAGE, SELECT, UPDATE ON SEQUENCES TO ${role}`);
  }
  await owner.query(`
    REVOKE UPDATE, DELETE ON relay.ledger FROM ${role};
    REVOKE INSERT, UPDATE, DELETE ON relay.schema_migrations FROM ${role}`);
}

/** Whether the connecting role may use everything: an interrupted upgrade may have left something out. */
export async function canUseAllTables(pool: pg.Pool): Promise<boolean> {
  const { rows } = await pool.query<{ missing: boolean }>(
    `SELECT count(*) < $2 OR NOT bool_and(has_schema_privilege(n.oid, 'USAGE')) OR EXISTS (
        SELECT FROM pg_class c JOIN pg_namespace m ON m.oid = c.relnamespace
        WHERE m.nspname = ANY($1) AND c.relkind IN ('r', 'p') AND NOT has_table_privilege(c.oid, 'SELECT')
          OR m.nspname = ANY($1) AND c.relkind = 'S' AND NOT has_sequence_privilege(c.oid, 'USAGE')) AS missing
      FROM pg_namespace n WHERE n.nspname = ANY($1)`,
    [SCHEMAS, SCHEMAS.length],
  );
  return rows[0]?.missing === false;
}

/** Whether the connecting role may create Relay's tables, or change those that exist. */
export async function canMigrate(pool: pg.Pool): Promise<boolean> {
  const { rows } = await pool.query<{ may: boolean }>(
    `SELECT has_database_privilege(current_database(), 'CREATE') AND NOT EXISTS (
       SELECT FROM pg_namespace WHERE nspname = ANY($1) AND NOT pg_has_role(nspowner, 'USAGE')) AS may`,
    [SCHEMAS],
  );
  return rows[0]?.may === true;
}

const NOT_ALLOWED = '42501';

export const isPermissionDenied = (error: unknown): boolean =>
  (error as { code?: unknown }).code === NOT_ALLOWED;

interface RolePrivileges {
  readonly user: string;
  readonly isSuperuser: boolean;
  readonly isOwner: boolean;
}

/** Of the connecting role. */
export async function readRolePrivileges(db: Db): Promise<RolePrivileges> {
  const { rows } = await sql<RolePrivileges>`
    SELECT r.rolname AS user, r.rolsuper AS "isSuperuser", EXISTS (SELECT FROM pg_class c
      WHERE c.relnamespace = 'relay'::regnamespace AND c.relowner = r.oid) AS "isOwner"
    FROM pg_roles r WHERE r.rolname = current_user`.execute(db);
  const [standing] = rows;
  if (standing === undefined) throw new Error('the role that connects is not among the roles');
  return standing;
}
