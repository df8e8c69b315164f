// `npm run bench -- volunteer-idle [--seconds 60]`: what a volunteer takes that waits for work, as the package has it and as a clone runs
// it, beside a bare Node and one that has loaded net, crypto, zlib and http, by import and by require. Resident memory, the part of it that is shared in
// proportion, what is its own and no file's, and the share of a core over the last half of the time. Linux only.

import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { NetworkOfPeers } from '../e2e/network/network-of-peers.ts'
import { inviteVolunteers } from '../e2e/network/volunteer-processes.ts'
import { SimulatedRandom } from '../src/platform/simulated/random.ts'
import { root, withBuilt } from './earlier-commit.ts'
import { printTable } from './measure.ts'

const modules = ['net', 'crypto', 'zlib', 'http']
const waits = 'setInterval(() => {}, 1e9)'
/** Of /proc/PID/stat. */
const ticksPerSecond = 100

export async function run(words: string[]): Promise<void> {
  const { values } = parseArgs({ args: words, options: { seconds: { type: 'string', default: '60' } } })
  const waitMs = Number(values.seconds) * 1_000
  await withBuilt(async (built) => {
    const network = await NetworkOfPeers.start({ peers: 1, words: [] }, new SimulatedRandom('idle'))
    try {
      const invitation = await inviteVolunteers(network.peers[0]!.home, 2)
      const volunteer = (program: string) => [
        ...[program, 'volunteer', '--json', '--no-busy', '--no-battery', '--invite', invitation],
        ...[
          '--join',
          `127.0.0.1:${network.ports[0]}`,
          '--home',
          join(network.folder, program.endsWith('.ts') ? 'clone' : 'package'),
        ],
      ]
      const imports = modules.map((name) => `import 'node:${name}'`).join(';')
      const requires = modules.map((name) => `process.getBuiltinModule('node:${name}')`).join(';')
      const rows = []
      const programs: [string, string[]][] = [
        ['node', ['-e', waits]],
        [`node, ${modules.join(', ')} required`, ['-e', `${requires};${waits}`]],
        [`node, ${modules.join(', ')} imported`, ['--input-type=module', '-e', `${imports};${waits}`]],
        ['polyhistor volunteer, the package', volunteer(join(built, 'dist/cli/main.js'))],
        ['polyhistor volunteer, from sources', volunteer(join(root, 'src/cli/main.ts'))],
      ]
      for (const [name, args] of programs)
        rows.push([name, ...(await footprint(args, args.includes('volunteer'), waitMs))])
      console.log(printTable(['', 'resident', 'proportional', 'its own', 'of a core'], rows))
    } finally {
      await network.removeFolder()
    }
  })
}

async function footprint(args: readonly string[], isTold: boolean, waitMs: number): Promise<string[]> {
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] })
  try {
    if (isTold) await once(child.stdout, 'data')
    await sleep(waitMs / 2)
    const before = ticksOf(child)
    await sleep(waitMs / 2)
    const share = (ticksOf(child) - before) / ticksPerSecond / (waitMs / 2_000)
    const rollup = readFileSync(`/proc/${child.pid}/smaps_rollup`, 'latin1')
    const of = (name: string) =>
      `${(Number(new RegExp(`^${name}: +(\\d+) kB`, 'm').exec(rollup)?.[1]) / 1_024).toFixed(1)} MB`
    return [of('Rss'), of('Pss'), of('Anonymous'), `${(100 * share).toFixed(2)} %`]
  } finally {
    child.kill('SIGKILL')
  }
}

function ticksOf({ pid }: ChildProcess): number {
  const [, fields = ''] = readFileSync(`/proc/${pid}/stat`, 'latin1').split(') ')
  return Number(fields.split(' ')[11]) + Number(fields.split(' ')[12])
}

function sleep(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms))
}
