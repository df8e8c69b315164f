// `polyhistor export FILE.parquet`, `export FOLDER/`: the archive's tables as Parquet files.
//
// Which table: --table, else the one that the file is named after, else links. A folder gets one file for each table or, with
// --partitioned, a folder with files for each crawl day and range of sites. Written beside their names and renamed when they are whole.

import { mkdir, rename, rm, stat } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { parquetOf, partitionedOf } from '../../../app/tables/archive-tables.ts'
import { withTables } from '../../../app/tables/peer-tables.ts'
import { isTableName, type Row, type TableName, tableNames } from '../../../formats/tables/columns.ts'
import { urlFromTyped } from '../../../model/url/url.ts'
import { asDiskError } from '../../../platform/real/disk/failure.ts'
import type { Context } from '../../context.ts'
import { type ExitCode, exitCodes } from '../../exit-codes.ts'
import { rowsOfPeer } from '../../peer/peer-stream.ts'
import { withArchiveToRead } from '../../peer/running-peer.ts'
import { UsageError } from '../../usage-error.ts'

export interface TableOptions {
  table?: string
  site?: string
  job?: string
  force?: boolean
  partitioned?: boolean
}

type Rows = (table: TableName) => AsyncIterable<Row>

interface Written {
  readonly file: string
  readonly table: TableName
  readonly rows: number
}

/** Whether it names tables, not captures. */
export function isTableExport(file: string): boolean {
  return file.endsWith('.parquet') || file.endsWith('/')
}

export async function exportTables(
  context: Context,
  target: string,
  options: TableOptions,
): Promise<ExitCode> {
  if (options.partitioned && !target.endsWith('/'))
    throw new UsageError('--partitioned is for a folder: write its name with / at the end.')
  const files = filesOf(target, options)
  const write = options.partitioned ? partitionedOf : parquetOf
  for (const [, file] of files)
    if (!options.force && (await stat(file).catch(() => undefined)) !== undefined)
      throw new UsageError(`${file} exists. Choose another name, or say --force to replace it.`)
  if (target.endsWith('/')) await mkdir(target, { recursive: true })
  const of = { site: options.site && urlFromTyped(options.site).site, job: options.job }
  const written = await withArchiveToRead(context, {
    store: (store) =>
      withTables(context.home.folder, store, (tables) =>
        writeAll(files, (table) => tables.rows(table, of), write),
      ),
    peer: (peer) => writeAll(files, (table) => rowsOfPeer(peer, table, of), write),
  })
  for (const { file, table, rows } of written) {
    if (context.isJson) await context.terminal.printJson({ file, table, rows })
    else if (!context.isQuiet) await context.terminal.printLine(`${file}: ${rows} rows of ${table}.`)
  }
  return written.every(({ rows }) => rows === 0) ? exitCodes.no : exitCodes.ok
}

function filesOf(target: string, { table, partitioned }: TableOptions): [TableName, string][] {
  if (table !== undefined && !isTableName(table))
    throw new UsageError(`There is no table ${table}: there are ${tableNames.join(', ')}.`)
  if (target.endsWith('/')) {
    const names = table === undefined ? tableNames : [table]
    return names.map((name) => [name, join(target, partitioned ? name : `${name}.parquet`)])
  }
  const named = basename(target, '.parquet')
  return [[table ?? (isTableName(named) ? named : 'links'), target]]
}

async function writeAll(
  files: readonly [TableName, string][],
  rows: Rows,
  write: typeof parquetOf,
): Promise<Written[]> {
  const written: Written[] = []
  for (const [table, file] of files) {
    const draft = `${file}.part`
    try {
      await rm(draft, { recursive: true, force: true })
      const count = await write(table, rows(table), draft)
      await replace(draft, file)
      written.push({ file, table, rows: count })
    } catch (error) {
      await rm(draft, { recursive: true, force: true }).catch(() => {})
      throw (error as NodeJS.ErrnoException).syscall === undefined
        ? error
        : asDiskError(draft, 'write', error)
    }
  }
  return written
}

/** A folder is not replaced by renaming another. */
async function replace(draft: string, target: string): Promise<void> {
  if ((await stat(target).catch(() => undefined))?.isDirectory()) await rm(target, { recursive: true })
  await rename(draft, target)
}
