// Another user of the owner's machine, without the token: what it tries is in neighbour.ts.

import { execFile } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { watched } from '../../../src/platform/fixtures/child-processes.ts'
import type { Attack } from '../attack.ts'
import type { NeighbourOrder, NeighbourReport, NeighbourTry } from '../neighbour.ts'
import type { Stage } from '../stage.ts'

/** nobody */
const user = 65_534
const script = join(import.meta.dirname, '..', 'neighbour.ts')
/** One process tries everything; each attack looks at its part. */
const reports = new WeakMap<Stage, Promise<NeighbourReport>>()

async function report(stage: Stage): Promise<NeighbourReport> {
  const [victim] = stage.honest
  const secretFile = join(victim!.home, 'secret.txt')
  await writeFile(secretFile, 'The owner’s own words.', { mode: 0o600 })
  const order: NeighbourOrder = { url: victim!.url, home: victim!.home, secretFile, user }
  const running = promisify(execFile)(process.execPath, [script, JSON.stringify(order)])
  watched(running.child)
  return JSON.parse((await running).stdout) as NeighbourReport
}

function neighbour(part: NeighbourTry, name: string, tries: string): Attack {
  return {
    name: `neighbour: ${name}`,
    tries,
    run: async (stage) => {
      let made = reports.get(stage)
      if (made === undefined) reports.set(stage, (made = report(stage)))
      const { tried, done } = await made
      if (tried[part] === 0) return [`nothing was tried`]
      return done[part].length === 0
        ? []
        : [`${done[part].length} of ${tried[part]}: ${done[part].slice(0, 5).join(', ')}`]
    },
  }
}

export const neighbourAttacks: readonly Attack[] = [
  neighbour(
    'cookies',
    'a cookie',
    'Another Unix user of the machine asks for pages and takes the cookie that writes',
  ),
  neighbour(
    'writes',
    'write routes',
    'Every route that writes, without the token, as a page of the archive would',
  ),
  neighbour('files', 'files', 'Files of the owner, through routes that name paths and from the disk'),
  neighbour(
    'forwarded',
    'forwarded requests',
    'Requests that a tunnel or proxy on the machine passed on for others',
  ),
  neighbour('hosts', 'two Host headers', 'Requests with two Host headers'),
]
