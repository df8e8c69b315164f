// The bridge's side of PostgreSQL: its tables, and batches written by COPY, each in a transaction with its cursor.
//
// All lies in a schema of its own, `polyhistor` unless told. Long URLs do not fit into an index: those are on md5(url), which queries
// can use too (docs/bridge.md).

import { once } from 'node:events'
import postgres from 'postgres'
import { changeRow } from '../../../formats/tables/change-row.ts'
import { type Column, type Row, type TableName, tables } from '../../../formats/tables/columns.ts'
import {
  type BridgeBatch,
  type BridgeDatabase,
  type BridgedTable,
  BridgeError,
  bridgedTables,
  type StreamEvent,
} from '../../bridge-database.ts'
import { copyText } from './copy-text.ts'
import { migrations } from './migrations.ts'

type Sql = postgres.Sql
type Transaction = postgres.TransactionSql

const urlColumns: Readonly<Record<BridgedTable, string>> = {
  pages: 'url',
  captures: 'url',
  links: 'from_url',
}

export class PostgresBridge implements BridgeDatabase {
  readonly #sql: Sql
  readonly #schema: string

  constructor(address: string, schema = 'polyhistor') {
    if (!/^[a-z_][a-z0-9_]{0,62}$/.test(schema))
      throw new BridgeError('usage-schema', `${schema} is no name for a schema: small letters, digits and _.`)
    // One connection: a batch is one transaction after the other. Nothing is told of notices (tables that are there already).
    this.#sql = postgres(address, { max: 1, onnotice: () => {}, connect_timeout: 10, idle_timeout: 0 })
    this.#schema = schema
  }

  async begin(): Promise<{ isNew: boolean; cursor: string | undefined }> {
    return this.#transaction(async (sql) => {
      await sql.unsafe(`create schema if not exists ${this.#schema}`)
      await this.#use(sql)
      await sql.unsafe(
        'create table if not exists migrations (number integer primary key, at timestamptz not null default now())',
      )
      await sql.unsafe('lock table migrations in exclusive mode')
      const done = await sql.unsafe('select coalesce(max(number), 0) as number from migrations')
      for (const [place, statements] of migrations.entries()) {
        if (place < Number(done[0]!.number)) continue
        await sql.unsafe(statements)
        await sql.unsafe('insert into migrations (number) values ($1)', [place + 1])
      }
      const [state] = await sql.unsafe('select cursor, filled from bridge')
      return { isNew: !state?.filled, cursor: (state?.cursor as string | null) ?? undefined }
    })
  }

  fill(rows: (table: BridgedTable) => AsyncIterable<Row>): Promise<number> {
    return this.#transaction(async (sql) => {
      await this.#use(sql)
      await this.#lock(sql)
      let count = 0
      for (const table of bridgedTables) {
        await sql.unsafe(`truncate ${table}`)
        count += await copy(sql, table, tables[table].columns, rows(table))
      }
      await sql.unsafe('update bridge set filled = true')
      return count
    })
  }

  apply(batch: BridgeBatch): Promise<number> {
    const { cursorBefore, cursor, events, urls } = batch
    return this.#transaction(async (sql) => {
      await this.#use(sql)
      const stands = await this.#lock(sql)
      if (stands !== cursorBefore)
        throw new BridgeError('bridge-elsewhere', 'Another bridge writes into this database: only one can.', {
          retry: 'later',
        })
      let count = 0
      if (urls.length > 0)
        for (const table of bridgedTables) {
          const column = `${table}.${urlColumns[table]}`
          await sql.unsafe(
            `delete from ${table} using unnest($1::text[]) as gone(url) where md5(${column}) = md5(gone.url) and ${column} = gone.url`,
            [urls as string[]],
          )
          count += await copy(sql, table, tables[table].columns, batch.rowsOf(table))
        }
      count += await writeChanges(sql, events)
      await sql.unsafe('update bridge set cursor = $1, at = now()', [cursor])
      return count
    })
  }

  async close(): Promise<void> {
    await this.#sql.end({ timeout: 5 })
  }

  async #use(sql: Transaction): Promise<void> {
    await sql.unsafe(`set local search_path to ${this.#schema}, pg_catalog`)
    await sql.unsafe("set local timezone to 'UTC'")
  }

  /** Others wait until this transaction ends. */
  async #lock(sql: Transaction): Promise<string | undefined> {
    const [state] = await sql.unsafe('select cursor from bridge for update')
    return (state?.cursor as string | null) ?? undefined
  }

  async #transaction<T>(work: (sql: Transaction) => Promise<T>): Promise<T> {
    try {
      return (await this.#sql.begin((sql) => work(sql))) as T
    } catch (error) {
      throw typed(error)
    }
  }
}

/** Events that came before are there already, by their ids. */
async function writeChanges(sql: Transaction, events: readonly StreamEvent[]): Promise<number> {
  if (events.length === 0) return 0
  const { columns } = tables.changes
  const names = columns.map(({ name }) => `"${name}"`).join(', ')
  await sql.unsafe('create temporary table incoming (like changes) on commit drop')
  await copy(sql, 'incoming', columns, rowsOfEvents(events, columns))
  const { count } = await sql.unsafe(
    `insert into changes (${names}) select ${names} from incoming on conflict (id) do nothing`,
  )
  return count
}

async function* rowsOfEvents(
  events: readonly StreamEvent[],
  columns: readonly Column[],
): AsyncGenerator<Row> {
  const byId = new Map(events.map((event) => [event.id, event]))
  for (const event of byId.values()) yield changeRow(event, columns)
}

async function copy(
  sql: Transaction,
  table: TableName | 'incoming',
  columns: readonly Column[],
  rows: AsyncIterable<Row>,
): Promise<number> {
  const names = columns.map(({ name }) => `"${name}"`).join(', ')
  const writable = await sql.unsafe(`copy ${table} (${names}) from stdin`).writable()
  const ended = once(writable, 'finish')
  ended.catch(() => {})
  let count = 0
  try {
    for await (const { text, rows: more } of copyText(columns, rows)) {
      count += more
      if (!writable.write(text)) await Promise.race([once(writable, 'drain'), ended])
    }
    writable.end()
    await ended
    return count
  } catch (error) {
    writable.destroy()
    throw error
  }
}

function typed(error: unknown): unknown {
  if (error instanceof BridgeError || !(error instanceof Error)) return error
  const { code = '' } = error as { code?: string }
  const isLost = /^(?:ECONN|EPIPE|ETIMEDOUT|ENOTFOUND|EAI_AGAIN|CONNECT|08|57P|53)/.test(code)
  if (!isLost && !(error instanceof postgres.PostgresError)) return error
  return new BridgeError('bridge-database', `PostgreSQL: ${error.message}`, {
    retry: isLost ? 'later' : 'never',
    cause: error,
  })
}
