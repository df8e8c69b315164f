// The table of docs/replay.md: every way, and whether what it needs comes.

import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { root } from '../../command.ts'
import type { WaysOutcome } from './ways-run.ts'
import { ways } from './ways-site.ts'

export interface WayRow {
  readonly what: string
  readonly comes: boolean
  readonly comesWithBrowser: boolean
}

const documentPath = join(root, 'docs', 'replay.md')
const startPattern = /<!-- ways: .*-->\n/
const end = '<!-- end of the ways -->'

export async function writtenRows(): Promise<WayRow[]> {
  const { table } = await parts()
  return table
    .trim()
    .split('\n')
    .slice(2)
    .map((line) => {
      const [, what = '', comes = '', withBrowser = ''] = line.split('|').map((cell) => cell.trim())
      return { what, comes: comes === 'yes', comesWithBrowser: withBrowser === 'yes' }
    })
}

export async function writeTable({ coming, comingWithBrowser }: WaysOutcome): Promise<void> {
  const { head, tail } = await parts()
  const word = (isSo: boolean) => (isSo ? 'yes' : 'no')
  const lines = Object.entries(ways).map(
    ([id, { what, foundBy }]) =>
      `| ${what} | ${word(coming.has(id))} | ${word(comingWithBrowser.has(id))} | ${foundBy} |`,
  )
  const titles = '| what the page needs | comes | with a browser | found by |'
  const table = [titles, '|---|---|---|---|', ...lines].join('\n')
  await writeFile(documentPath, `${head}${table}\n${tail}`)
}

async function parts(): Promise<{ head: string; table: string; tail: string }> {
  const text = await readFile(documentPath, 'utf8')
  const start = startPattern.exec(text)
  const to = text.indexOf(end)
  if (start === null || to < 0) throw new Error(`${documentPath} has no place for the table`)
  const from = start.index + start[0].length
  return { head: text.slice(0, from), table: text.slice(from, to), tail: text.slice(to) }
}
