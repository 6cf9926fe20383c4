import { type Call, optionsOf } from "../call";
import { type CommandRule, HARMLESS_FLAGS } from "../rule";

const CLIENTS = (
  "psql mysql mariadb sqlite3 sqlite sqlplus sqlcmd duckdb clickhouse-client clickhouse cockroach pgcli mycli litecli usql bq snowsql presto trino " +
  "hive beeline spark-sql cqlsh turso d1 prisma supabase wrangler isql tsql osql invoke-sqlcmd vertica influx dbaccess db2 mysqlsh"
).split(" ");
const OTHER_CLIENTS = ["mongo", "mongosh", "cypher-shell", "neo4j-admin", "etcdctl", "memcached-tool"];

/** Destroys what a database holds. */
export const databaseRules: readonly CommandRule[] = [
  {
    key: "database.drop",
    category: "database",
    description: "drop a table, a database or what belongs to one",
    programs: [...CLIENTS, "drop", "alter"],
    when: (call) => statementsOf(call).some((sql) => DROP.test(sql)),
  },
  {
    key: "database.delete-all",
    category: "database",
    description: "delete or change all rows of a table",
    programs: [...CLIENTS, "delete", "update"],
    when: (call) => statementsOf(call).some(touchesAllRows),
  },
  {
    key: "database.truncate",
    category: "database",
    description: "empty a table",
    programs: [...CLIENTS, "truncate"],
    when: (call) => statementsOf(call).some((sql) => TRUNCATE.test(sql)),
  },
  {
    key: "database.drop",
    category: "database",
    description: "drop a table, a database or what belongs to one",
    programs: ["dropdb", "dropuser", "mysqladmin", "pg_dropcluster", "rabbitmqctl", "kafka-topics", "kafka-topics.sh"],
    when: ({ program, args }) =>
      /^(?:drop|pg_drop)/.test(program)
        ? args.length > 0 && !args.includes("--help")
        : args.some((arg) => /^(?:drop|reset|force_reset|delete_\w+|purge_queue|--delete)$/.test(arg)),
  },
  {
    key: "database.reset",
    category: "database",
    description: "reset a database to nothing or to an older state",
    programs: [
      "prisma",
      "supabase",
      "rails",
      "rake",
      "artisan",
      "php",
      "manage.py",
      "python",
      "python3",
      "django-admin",
      "sequelize",
      "sequelize-cli",
      "knex",
      "typeorm",
      "alembic",
      "flyway",
      "liquibase",
      "mix",
      "drizzle-kit",
      "dbmate",
      "hasura",
      "goose",
      "migrate",
      "diesel",
    ],
    when: (call) => RESET.test(call.args.join(" ")) && !/--(?:help|dry-run)|(?:^| )-h(?: |$)/.test(call.args.join(" ")),
  },
  {
    key: "database.drop",
    category: "database",
    description: "drop a table, a database or what belongs to one",
    programs: ["pg_restore", "mongorestore"],
    flags: ["-c", "--clean", "--drop"],
    unless: ["-l", "--list", "-f", "--file", ...HARMLESS_FLAGS],
  },
  {
    key: "database.drop",
    category: "database",
    description: "drop a table, a database or what belongs to one",
    programs: OTHER_CLIENTS,
    when: (call) => OTHER_DROPS.test([...call.args, call.stdin].join(" ")),
  },
  {
    key: "database.drop",
    category: "database",
    description: "drop a table, a database or what belongs to one",
    programs: ["redis-cli", "valkey-cli", "keydb-cli"],
    when: (call) => EMPTIES_STORE.test(`${optionsOf(call).operands.join(" ")}\n${call.stdin}`),
  },
];

/** Commands of Redis that empty or end it; as words of others they are keys and values. */
const EMPTIES_STORE = /^\s*(?:FLUSH(?:ALL|DB)|SHUTDOWN|CONFIG\s+SET\s+dir)\b|\bcall\s*\(\s*["']flush/im;
const DROP =
  /(?:^|;|\s|\))\s*(?:DROP\s+(?:TABLE|DATABASE|SCHEMA|INDEX|VIEW|MATERIALIZED|COLUMN|USER|ROLE|TABLESPACE|KEYSPACE|COLLECTION|TRIGGER|FUNCTION|PROCEDURE|SEQUENCE|TYPE|EXTENSION|OWNED)\b|ALTER\s+TABLE\s+\S+\s+DROP\b)/i;
const TRUNCATE = /(?:^|;)\s*TRUNCATE\s+(?:TABLE\s+)?(?:ONLY\s+)?["'`[]?\w/i;
const RESET =
  /(?:^| )(?:migrate reset|db push .*--(?:force-reset|accept-data-loss)|migrate:(?:fresh|reset|refresh|rollback)|db:(?:drop|reset|wipe|purge|rollback|schema:load|migrate:(?:reset|undo:all)|nuke)|db (?:reset|drop|wipe)|ecto\.(?:drop|reset)|schema:drop|flush(?: |$)|reset_db|migrate:rollback --all|downgrade base|clean(?: |$).*|dropAll|drop-all|database (?:reset|drop)|sqlflush|drop(?: |$)|down(?: -all)?$|reset$)/;
const OTHER_DROPS =
  /\b(?:dropDatabase|dropUser|dropAllUsers|deleteMany\s*\(\s*(?:\{\s*\})?\s*\)|remove\s*\(\s*\{\s*\}\s*\)|drop\s*\(\s*\))|\.drop\s*\(|\bDETACH\s+DELETE\b|\bdel\s+(?:""|'')\s+--(?:prefix|from-key)|\bdel\b.*--prefix/i;

/** The SQL of a call: its arguments, its input, and the call itself where it is a statement. */
function statementsOf(call: Call): readonly string[] {
  const own = `${call.program} ${call.args.join(" ")}`;
  const texts = CLIENTS.includes(call.program) ? [...call.args.map(withoutFlag), call.stdin] : [own];
  return texts.flatMap((text) => withoutComments(text).split(";"));
}

function withoutFlag(arg: string): string {
  return arg.replace(/^(?:--[a-zA-Z][a-zA-Z-]*[= ]|-[a-zA-Z][a-zA-Z-]*=|-[ceqQ](?=[A-Za-z]))/, "");
}

/** Comments may hide a word, or part two of them. */
function withoutComments(sql: string): string {
  return sql.replaceAll(/\/\*[^]*?\*\/|--[^\n]*/g, " ").trim();
}

/** `DELETE` and `UPDATE` without a condition, or with one that is always true. */
function touchesAllRows(sql: string): boolean {
  const statement = sql.trim();
  const isDelete =
    /(?:^|\)|\s)DELETE\s+FROM\s+\S/i.test(statement) && /^(?:WITH|DELETE|EXPLAIN|BEGIN)\b/i.test(statement);
  const isUpdate = /^UPDATE\s+\S+\s+SET\s/i.test(statement);
  if (!isDelete && !isUpdate) return false;
  const condition = /\bWHERE\b([^]*)$/i.exec(statement)?.[1];
  if (condition === undefined) return isDelete || !/\bLIMIT\b/i.test(statement);
  return /^\s*\(?\s*(?:true|1|1\s*=\s*1|'(\w*)'\s*=\s*'\1'|"(\w*)"\s*=\s*"\2"|not\s+false)\s*\)?\s*$/i.test(condition);
}
