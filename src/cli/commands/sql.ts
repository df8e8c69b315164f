// `polyhistor sql "select …"`: the archive's tables asked by SQL.

import { withTables } from '../../app/tables/peer-tables.ts'
import type { Context } from '../context.ts'
import { type ExitCode, exitCodes } from '../exit-codes.ts'
import { formatTable } from '../output/table.ts'
import { withArchiveToRead } from '../peer/running-peer.ts'

interface Answer {
  readonly columns: readonly string[]
  readonly rows: readonly (readonly unknown[])[]
  readonly isCut: boolean
}

export async function askTables(context: Context, [query]: string[]): Promise<ExitCode> {
  const answer = await withArchiveToRead<Answer>(context, {
    store: (store) => withTables(context.home.folder, store, (tables) => tables.sql(query!)),
    peer: (peer) => peer.post<Answer>('/api/v1/sql', { query }),
  })
  await show(context, answer)
  return exitCodes.ok
}

async function show({ terminal, isJson }: Context, { columns, rows, isCut }: Answer): Promise<void> {
  if (isJson) {
    for (const row of rows)
      await terminal.printJson(Object.fromEntries(columns.map((name, place) => [name, row[place]])))
  } else {
    const printed = rows.map((row) => row.map((value) => printedValue(value)))
    await terminal.printLine(formatTable([...columns], printed, terminal.width))
  }
  if (isCut) terminal.tell(`These are the first ${rows.length} rows: add a limit, or export the table.`)
}

function printedValue(value: unknown): string {
  if (value === null) return '-'
  return typeof value === 'object' ? JSON.stringify(value) : String(value)
}
