// The table of docs/replay.md: ways out, and what came through them.

import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { root } from '../../command.ts'

export interface EscapeRow {
  readonly kind: string
  readonly names: readonly string[]
  /** How many must arrive, and did, without an archive around them. */
  readonly outside: number
  /** Of how many the crawler saw and refused a request during capture. */
  readonly refused: number
  /** Arrivals during capture, and how many arrive in replay. */
  readonly capture: number
  readonly inside: number
}

const documentPath = join(root, 'docs', 'replay.md')
const pattern = /(<!-- escapes: [^\n]*-->\n).*?(<!-- end of the escapes -->)/s

export async function writeEscapes(rows: readonly EscapeRow[]): Promise<void> {
  const sum = (name: 'outside' | 'refused' | 'capture' | 'inside') =>
    rows.reduce((total, row) => total + row[name], 0)
  const total = rows.reduce((count, { names }) => count + names.length, 0)
  const table = [
    '| kind | ways | sure to arrive in a plain browser | refused in capture | arrived in capture | arrived in replay | names |',
    '|---|---|---|---|---|---|---|',
    ...rows.map(
      ({ kind, names, outside, refused, capture, inside }) =>
        `| ${kind} | ${names.length} | ${outside} | ${refused} | ${capture} | ${inside} | ${names.join(', ')} |`,
    ),
    `| all | ${total} | ${sum('outside')} | ${sum('refused')} | ${sum('capture')} | ${sum('inside')} | |`,
  ].join('\n')
  const text = await readFile(documentPath, 'utf8')
  if (!pattern.test(text)) throw new Error(`${documentPath} has no place for the escapes`)
  await writeFile(
    documentPath,
    text.replace(pattern, (_, start, end) => `${start}${table}\n${end}`),
  )
}
