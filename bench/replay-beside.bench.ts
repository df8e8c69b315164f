// `npm run bench -- replay-beside COMMIT [--rounds 12]`: a peer of an earlier commit and one of this tree answer the same loads
// of wrk, two seconds each by turns; for every load the processor time and the rate of this tree divided by the commit's.
//
// Rates of a shared machine swing by a third from one minute to the next. Both peers run all the time, so neighbouring turns meet
// the same machine, and the processor time that a request takes swings least: that is the figure to go by. Loads: raw (`id_`),
// rewritten (`mp_`), CDX queries. Needs wrk, and Linux for the processor time of the peers.

import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { freePort } from '../src/platform/fixtures/free-port.ts'
import { root, withCommit } from './earlier-commit.ts'
import { median, printTable } from './measure.ts'
import { untilAnswering } from './replay/starting.ts'
import { needTool } from './replay/tool.ts'
import { type Load, runWrk } from './replay/wrk.ts'

const pages = 1_000
const captures = 20_000
const seconds = 2
const connections = 32
const loadNames = ['raw (id_)', 'rewritten (mp_)', 'CDX'] as const
/** In a second, as /proc counts processor time. */
const ticks = 100

interface Contender {
  readonly child: ChildProcess
  readonly folder: string
  readonly loads: Readonly<Record<(typeof loadNames)[number], Load>>
}

interface Turn {
  readonly cpuUs: number
  readonly perSecond: number
}

export async function run(words: string[]): Promise<void> {
  const { values, positionals } = parseArgs({
    args: words,
    allowPositionals: true,
    options: { rounds: { type: 'string', default: '12' } },
  })
  const [commit] = positionals
  if (commit === undefined || positionals.length > 1 || !(Number(values.rounds) >= 1)) {
    console.error('Usage: npm run bench -- replay-beside COMMIT [--rounds 12]')
    process.exit(64)
  }
  needTool('wrk')
  await withCommit(commit, async (before) => {
    const contenders: Contender[] = []
    try {
      for (const tree of [before, root]) contenders.push(await start(tree))
      print(commit, await compete(contenders, Number(values.rounds)))
    } finally {
      for (const contender of contenders) await stop(contender)
    }
  })
}

/** Each tree fills its own home, with its own code. */
async function start(tree: string): Promise<Contender> {
  const { fillArchive, manyUrl, pagePath } = (await import(
    join(tree, 'bench/replay/archive.ts')
  )) as typeof import('./replay/archive.ts')
  const folder = mkdtempSync(join(tmpdir(), 'polyhistor-bench-'))
  const home = join(folder, 'home')
  await fillArchive(home, { pages, captures, versionsOfOne: 2 }, (text) => console.error(text))
  const port = await freePort()
  const program = join(tree, 'src/cli/main.ts')
  const child = spawn(process.execPath, [program, 'peer', '--http', `localhost:${port}`, '--home', home], {
    stdio: 'ignore',
  })
  const origin = `http://127.0.0.1:${port}`
  await untilAnswering(`${origin}/`, child)
  const load = (path: (number: number) => string, host?: string): Load => ({
    origin,
    seconds,
    connections,
    paths: Array.from({ length: pages }, (_, number) => path(number)),
    ...(host && { headers: { Host: host } }),
  })
  return {
    child,
    folder,
    loads: {
      'raw (id_)': load((number) => pagePath(number, 'id_')),
      'rewritten (mp_)': load((number) => pagePath(number, 'mp_'), `replay.localhost:${port}`),
      CDX: load((number) => `/cdx/search/cdx?url=${manyUrl((number * captures) / pages)}`),
    },
  }
}

async function stop({ child, folder }: Contender): Promise<void> {
  const ended = once(child, 'exit')
  child.kill('SIGTERM')
  await ended
  rmSync(folder, { recursive: true, force: true })
}

/** Of each load, the pairs of turns. The first round warms up and does not count. */
async function compete(contenders: readonly Contender[], rounds: number): Promise<Map<string, Turn[][]>> {
  const pairs = new Map<string, Turn[][]>(loadNames.map((name) => [name, []]))
  for (let round = 0; round <= rounds; round++) {
    console.error(`round ${round} of ${rounds}`)
    for (const name of loadNames) {
      const pair: Turn[] = []
      for (const index of round % 2 === 0 ? [0, 1] : [1, 0])
        pair[index] = await takeTurn(contenders[index]!, name)
      if (round > 0) pairs.get(name)!.push(pair)
    }
  }
  return pairs
}

async function takeTurn(
  { child, folder, loads }: Contender,
  name: (typeof loadNames)[number],
): Promise<Turn> {
  const sinceTicks = ticksOf(child)
  const { perSecond } = await runWrk(folder, loads[name])
  return { perSecond, cpuUs: ((ticksOf(child) - sinceTicks) / ticks / (perSecond * seconds)) * 1e6 }
}

function ticksOf({ pid }: ChildProcess): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]!.split(' ')
  return Number(fields[11]) + Number(fields[12])
}

function print(commit: string, turns: ReadonlyMap<string, Turn[][]>): void {
  const rows = [...turns].map(([name, pairs]) => {
    const of = (index: number, figure: keyof Turn) => median(pairs.map((pair) => pair[index]![figure]))
    const ratio = (figure: keyof Turn) =>
      geometricMean(pairs.map((pair) => pair[1]![figure] / pair[0]![figure])).toFixed(3)
    return [
      name,
      of(0, 'cpuUs').toFixed(1),
      of(1, 'cpuUs').toFixed(1),
      ratio('cpuUs'),
      of(0, 'perSecond').toFixed(0),
      of(1, 'perSecond').toFixed(0),
      ratio('perSecond'),
    ]
  })
  const header = ['', `CPU us/request, ${commit}`, 'now', 'now / before', 'requests/s', 'now', 'now / before']
  console.log(printTable(header, rows))
}

function geometricMean(values: readonly number[]): number {
  return Math.exp(values.reduce((sum, value) => sum + Math.log(value), 0) / values.length)
}
