// The table of docs/security.md: every attack, what it tries, what it did to the program of before, and what it does now.
//
// Written by `npm run security` alone, between two marks; what stands around it people write. The tests check that it tells of
// exactly the attacks that there are.

import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Attack } from './attack.ts'
import type { Outcome } from './attack-run.ts'
import { before } from './before.ts'

export interface Row {
  readonly name: string
  readonly tries: string
  /** Of the program before docs/security.md was begun. */
  readonly before: 'broke' | 'held' | 'not tried'
  readonly now: 'held' | 'broke'
}

export const documentPath = join(import.meta.dirname, '..', '..', 'docs', 'security.md')
const [start, end] = ['<!-- attacks: written by `npm run security` -->', '<!-- end of the attacks -->']

export function rowsOf(attacks: readonly Attack[], outcomes: readonly Outcome[]): Row[] {
  const harmBy = new Map(outcomes.map(({ name, harm }) => [name, harm]))
  return attacks.map(({ name, tries }) => ({
    name,
    tries,
    before: before[name] ?? 'not tried',
    now: harmBy.get(name)?.length === 0 ? 'held' : 'broke',
  }))
}

export async function writtenRows(): Promise<Row[]> {
  const { table } = await parts()
  return table.split('\n').slice(2).flatMap(rowIn)
}

export async function writeTable(rows: readonly Row[]): Promise<void> {
  const { head, tail } = await parts()
  const lines = rows.map(
    (row) => `| ${[row.name, row.tries, row.before, row.now].map(escaped).join(' | ')} |`,
  )
  const table = ['| attack | tried | before | now |', '|---|---|---|---|', ...lines].join('\n')
  await writeFile(documentPath, `${head}${start}\n${table}\n${end}${tail}`)
}

async function parts(): Promise<{ head: string; table: string; tail: string }> {
  const text = await readFile(documentPath, 'utf8')
  const [from, to] = [text.indexOf(start), text.indexOf(end)]
  if (from < 0 || to < from) throw new Error(`${documentPath} has no place for the table`)
  return {
    head: text.slice(0, from),
    table: text.slice(from + start.length, to).trim(),
    tail: text.slice(to + end.length),
  }
}

function escaped(text: string): string {
  return text.replaceAll('|', '\\|')
}

function rowIn(line: string): Row[] {
  const cells = line
    .split(/(?<!\\)\|/)
    .slice(1, -1)
    .map((cell) => cell.trim().replaceAll('\\|', '|'))
  const [name, tries, was, now] = cells
  if (name === undefined || tries === undefined) return []
  return [{ name, tries, before: was as Row['before'], now: now as Row['now'] }]
}
