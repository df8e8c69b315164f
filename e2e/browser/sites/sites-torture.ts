// `npm run torture -- sites [NAME…] [--browser auto|always] [--write]`: sites built from npm packages are crawled with a browser,
// their origin is stopped, and they are replayed: see site-run.ts. `--write` writes the table of docs/replay.md.

import { mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { everyRealSite } from './every-site.ts'
import { runSites } from './site-run.ts'
import { isFaithful, sitesTable, writeSites } from './sites-table.ts'

interface SitesOptions {
  readonly names: readonly string[]
  readonly mode: string
  readonly writes: boolean
}

/** The exit code. */
export async function tortureSites({ names, mode, writes }: SitesOptions): Promise<number> {
  const every = await everyRealSite()
  const unknown = names.filter((name) => !every.some((site) => site.name === name))
  if (unknown.length > 0 || (mode !== 'auto' && mode !== 'always')) {
    console.error(
      `There are these sites: ${every.map(({ name }) => name).join(', ')}; --browser is auto or always.`,
    )
    return 64
  }
  const sites = every.filter(({ name }) => names.length === 0 || names.includes(name))
  const picturesFolder = await mkdtemp(join(tmpdir(), 'polyhistor-sites-'))
  const outcomes = await runSites(sites, { mode, tell: console.log, picturesFolder })
  const faithful = outcomes.filter(isFaithful).length
  const missing = outcomes.reduce((sum, outcome) => sum + outcome.missing.length, 0)
  const leaving = outcomes.reduce((sum, outcome) => sum + outcome.leaving.length, 0)
  console.log(`\n${sitesTable(outcomes)}\n`)
  console.log(
    `${faithful} of ${sites.length} within 1 %, ${missing} parts missing, ${leaving} requests that leave.`,
  )
  if (writes && names.length === 0) await writeSites(outcomes)
  if (faithful === sites.length && missing + leaving === 0) return 0
  console.log(`Pictures of what differs: ${picturesFolder}`)
  return 1
}
