// The table of docs/replay.md: how each realistic site looks in replay, and what it lacks.

import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { root } from '../../command.ts'
import { apartMax, type SiteOutcome } from './site-run.ts'

const documentPath = join(root, 'docs', 'replay.md')
const pattern = /(<!-- sites: [^\n]*-->\n).*?(<!-- end of the sites -->)/s

export function isFaithful({ apart, failures }: SiteOutcome): boolean {
  return failures.length === 0 && apart.every((part) => part <= apartMax)
}

export function sitesTable(outcomes: readonly SiteOutcome[]): string {
  const lines = outcomes.map(({ site, apart, liveParts, missing, leaving }) => {
    const packages = site.packages.length === 0 ? '' : ` (${site.packages.join(', ')})`
    const worst = `${(Math.max(...apart) * 100).toFixed(2)} %`
    return `| ${site.name}${packages} | ${site.what} | ${apart.length} | ${worst} | ${liveParts} | ${missing.length} | ${leaving.length} |`
  })
  return [
    '| site | what is hard about it | views | pixels that differ | parts it had live | missing | requests that leave |',
    '|---|---|---|---|---|---|---|',
    ...lines,
  ].join('\n')
}

export async function writeSites(outcomes: readonly SiteOutcome[]): Promise<void> {
  const text = await readFile(documentPath, 'utf8')
  if (!pattern.test(text)) throw new Error(`${documentPath} has no place for the sites`)
  await writeFile(
    documentPath,
    text.replace(pattern, (_, start, end) => `${start}${sitesTable(outcomes)}\n${end}`),
  )
}
