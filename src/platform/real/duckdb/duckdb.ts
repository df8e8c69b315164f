// DuckDB: rows into tables, tables into Parquet files and answers to SQL. An optional dependency, loaded when it is asked for.
//
// Whoever asks by SQL can read the tables, and nothing else: the file is opened for reading, and before the first statement access
// to files, networks and extensions is turned off and the configuration locked. Bounded in memory, in time, in room on the disk for what
// does not fit into memory, and in rows.

import type { DuckDBAppender, DuckDBConnection } from '@duckdb/node-api'
import { PolyhistorError } from '../../../errors.ts'
import { type Column, type Row, type TableName, tables } from '../../../formats/tables/columns.ts'
import { DiskError } from '../../storage/disk.ts'

type DuckDb = typeof import('@duckdb/node-api')

export interface SqlLimits {
  readonly memoryMegabytes: number
  readonly timeMs: number
  readonly rowsMax: number
}

export const sqlLimitsDefault: SqlLimits = { memoryMegabytes: 512, timeMs: 30_000, rowsMax: 10_000 }

export interface SqlAnswer {
  readonly columns: readonly string[]
  readonly rows: readonly (readonly unknown[])[]
  /** There were more rows than are given. */
  readonly isCut: boolean
}

export class SqlError extends PolyhistorError {}

const types = {
  text: 'varchar',
  time: 'timestamp',
  integer: 'integer',
  bigint: 'bigint',
  boolean: 'boolean',
  real: 'double',
} as const
const wholeTypes = /^(?:U?BIGINT|U?HUGEINT)$/
const flushRows = 50_000
const spillMegabytes = 1_024

/** Throws 'sql-missing' where it is not installed. */
export async function loadDuckDb(): Promise<DuckDb> {
  try {
    return await import('@duckdb/node-api')
  } catch (error) {
    throw new SqlError(
      'sql-missing',
      'Tables need DuckDB, which is not installed here. Install it beside Polyhistor: npm install @duckdb/node-api',
      { cause: error },
    )
  }
}

/** Writes the rows into a table of the database file, made anew; resolves with how many there were. */
export async function writeTable(path: string, table: TableName, rows: AsyncIterable<Row>): Promise<number> {
  const duckDb = await loadDuckDb()
  return withConnection(duckDb, path, { memory_limit: '256MB', threads: '1' }, async (connection) => {
    const { columns } = tables[table]
    const listed = columns.map(({ name, type }) => `"${name}" ${types[type]}`).join(', ')
    await connection.run(`create or replace table ${table} (${listed})`)
    const appender = await connection.createAppender(table)
    let count = 0
    for await (const row of rows) {
      append(duckDb, appender, columns, row)
      if (++count % flushRows === 0) appender.flushSync()
    }
    appender.closeSync()
    return count
  })
}

export async function writeParquet(path: string, table: TableName, file: string): Promise<void> {
  const duckDb = await loadDuckDb()
  const quoted = file.replaceAll("'", "''")
  await withConnection(duckDb, path, { memory_limit: '256MB', threads: '1' }, (connection) =>
    connection.run(`copy ${table} to '${quoted}' (format parquet, compression zstd, row_group_size 100000)`),
  )
}

/** The same as many files: a folder for each crawl day and in it one for each range of sites, named as Hive does, so that Spark,
 * Trino and DuckDB read only those that a question is about. The folder must not be there yet. */
export async function writePartitions(path: string, table: TableName, folder: string): Promise<void> {
  const duckDb = await loadDuckDb()
  const quoted = folder.replaceAll("'", "''")
  const { day, site } = partitions[table]
  const named = `coalesce(strftime(${day}, '%Y-%m-%d'), 'unknown') as day, left(sha256(${site}), 1) as sites`
  const format = 'format parquet, compression zstd, row_group_size 100000'
  // Sorted, so that each file is written in one go, and row groups are of few sites.
  const rows = `select *, ${named} from ${table} order by day, sites, ${site}`
  const options = { memory_limit: '256MB', threads: '1', temp_directory: `${path}.spill` }
  await withConnection(duckDb, path, options, (connection) =>
    connection.run(`copy (${rows}) to '${quoted}' (${format}, partition_by (day, sites))`),
  )
}

/** The columns that tell the day, and the site. */
const partitions: Readonly<Record<TableName, { day: string; site: string }>> = {
  captures: { day: 'time', site: 'site' },
  pages: { day: 'last_time', site: 'site' },
  links: { day: 'first_seen', site: 'from_site' },
  changes: { day: 'time', site: 'site' },
}

/** Of a database file that nobody writes. */
export async function runSql(
  path: string,
  sql: string,
  limits: SqlLimits = sqlLimitsDefault,
): Promise<SqlAnswer> {
  const duckDb = await loadDuckDb()
  const options = {
    access_mode: 'READ_ONLY',
    memory_limit: `${limits.memoryMegabytes}MB`,
    threads: '2',
    temp_directory: `${path}.spill`,
    max_temp_directory_size: `${spillMegabytes}MB`,
    autoinstall_known_extensions: 'false',
    autoload_known_extensions: 'false',
  }
  return withConnection(duckDb, path, options, async (connection) => {
    await connection.run('set enable_external_access = false')
    await connection.run('set lock_configuration = true')
    let isLate = false
    const timer = setTimeout(() => {
      isLate = true
      connection.interrupt()
    }, limits.timeMs)
    try {
      const reader = await connection.streamAndReadUntil(sql, limits.rowsMax + 1)
      const isWhole = reader.columnTypes().map((type) => wholeTypes.test(type.toString()))
      const rows = reader.getRowsJson()
      return {
        columns: reader.columnNames(),
        rows: rows.slice(0, limits.rowsMax).map((row) => row.map((value, i) => told(value, isWhole[i]!))),
        isCut: rows.length > limits.rowsMax,
      }
    } catch (error) {
      throw isLate
        ? new SqlError(
            'sql-too-long',
            `The query took longer than ${limits.timeMs / 1_000} s, and was stopped.`,
          )
        : new SqlError('sql-refused', messageOf(error), { cause: error })
    } finally {
      clearTimeout(timer)
    }
  })
}

async function withConnection<T>(
  { DuckDBInstance }: DuckDb,
  path: string,
  options: Record<string, string>,
  work: (connection: DuckDBConnection) => Promise<T>,
): Promise<T> {
  const instance = await DuckDBInstance.create(path, options).catch((error: unknown) => {
    throw diskFailure(path, error)
  })
  try {
    const connection = await instance.connect()
    try {
      return await work(connection)
    } catch (error) {
      throw diskFailure(path, error)
    } finally {
      connection.closeSync()
    }
  } finally {
    instance.closeSync()
  }
}

function append(duckDb: DuckDb, appender: DuckDBAppender, columns: readonly Column[], row: Row): void {
  for (const [place, { type }] of columns.entries()) {
    const value = row[place]
    if (value === null || value === undefined) appender.appendNull()
    else if (type === 'text') appender.appendVarchar(String(value))
    else if (type === 'boolean') appender.appendBoolean(Boolean(value))
    else if (type === 'integer') appender.appendInteger(Number(value))
    else if (type === 'real') appender.appendDouble(Number(value))
    else if (type === 'bigint') appender.appendBigInt(BigInt(value))
    else appender.appendTimestamp(new duckDb.DuckDBTimestampValue(1_000n * BigInt(value)))
  }
  appender.endRow()
}

/** Whole numbers come as text, for they may be larger than JSON's; few are. */
function told(value: unknown, isWhole: boolean): unknown {
  return isWhole && typeof value === 'string' && Number.isSafeInteger(Number(value)) ? Number(value) : value
}

/** A disk that is full or cannot be written to is no fault of this program. Whatever else it is, as it is. */
function diskFailure(path: string, error: unknown): unknown {
  const message = messageOf(error)
  if (error instanceof PolyhistorError || !/^IO Error/.test(message)) return error
  const isFull = /No space left|Disk quota/i.test(message)
  if (isFull)
    return new DiskError(
      'disk-full',
      path,
      `${path} cannot be written: the disk is full. Free some room on it.`,
      error,
    )
  return new DiskError('disk-failure', path, `${path}: ${message}`, error)
}

function messageOf(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error)
  return message.slice(0, 2_000)
}
