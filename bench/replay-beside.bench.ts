// `npm run bench -- replay-beside COMMIT[..LATER] [--rounds 24]`: a peer of an earlier commit and one of this tree, or of a later commit, answer the same loads
// of wrk, two seconds a round, at the same time; for every load the processor time and the rate of this tree divided by the commit's.
//
// The processor time that a request takes is the figure to go by, by the median of the rounds' ratios (compared.ts). What spoilt it when
// the peers took turns, by up to a half: that other work, or another guest of the machine, slows a processor down while only one of them
// has its turn; and that a write which wakes wrk on another processor costs a virtual machine more than all else in a request. So each
// peer has a processor of its own, its wrk on the same one, and in every round both are measured on either. Many short rounds say more
// than few long ones. Loads: raw (`id_`), rewritten (`mp_`), CDX queries. Needs wrk, two processors, and Linux for the processor time of the peers.

import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { freePort } from '../src/platform/fixtures/free-port.ts'
import { compared, comparisonCells, comparisonHeader, type Pair } from './compared.ts'
import { withTrees } from './earlier-commit.ts'
import { printTable } from './measure.ts'
import { untilAnswering, withoutOwnWork } from './replay/starting.ts'
import { needTool } from './replay/tool.ts'
import { type Load, runWrk } from './replay/wrk.ts'
import { processorSeconds } from './scale/processor-time.ts'

const pages = 1_000
const captures = 20_000
const seconds = 1
const connections = 32
const loadNames = ['raw (id_)', 'rewritten (mp_)', 'CDX'] as const
/** They warm up, and do not count: the figure of a peer holds when it has run for most of a minute. */
const firstRounds = 8

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
    options: { rounds: { type: 'string', default: '24' } },
  })
  const [commit] = positionals
  if (commit === undefined || positionals.length > 1 || !(Number(values.rounds) >= 1)) {
    console.error('Usage: npm run bench -- replay-beside COMMIT[..LATER] [--rounds 24]')
    process.exit(64)
  }
  needTool('wrk')
  needTool('taskset')
  await withTrees(commit, async (before, now) => {
    const contenders: Contender[] = []
    try {
      for (const tree of [before, now]) contenders.push(await start(tree))
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
  const child = spawn(
    process.execPath,
    [program, 'peer', '--http', `localhost:${port}`, '--home', home, ...withoutOwnWork(tree)],
    { stdio: 'ignore' },
  )
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

/** Of each load, the pairs of turns. */
async function compete(contenders: readonly Contender[], rounds: number): Promise<Map<string, Turn[][]>> {
  const pairs = new Map<string, Turn[][]>(loadNames.map((name) => [name, []]))
  for (let round = 1 - firstRounds; round <= rounds; round++) {
    console.error(round < 1 ? 'warming up' : `round ${round} of ${rounds}`)
    for (const name of loadNames) {
      const here = await answerLoads(contenders, name, [0, 1])
      const there = await answerLoads(contenders, name, [1, 0])
      if (round >= 1) pairs.get(name)!.push(here.map((turn, index) => meanOf(turn, there[index]!)))
    }
  }
  return pairs
}

/** Geometric: a processor that is slowed down throughout a round does so to both, and the ratio of the means has nothing of it. */
function meanOf(one: Turn, other: Turn): Turn {
  return {
    cpuUs: Math.sqrt(one.cpuUs * other.cpuUs),
    perSecond: Math.sqrt(one.perSecond * other.perSecond),
  }
}

/** Of all contenders at the same time, each with its wrk on one of the processors. */
function answerLoads(
  contenders: readonly Contender[],
  name: (typeof loadNames)[number],
  processors: readonly number[],
): Promise<Turn[]> {
  for (const [index, { child }] of contenders.entries()) moveTo(processors[index]!, child)
  return Promise.all(contenders.map((contender, index) => answerLoad(contender, name, processors[index]!)))
}

/** With all its threads. */
function moveTo(processor: number, { pid }: ChildProcess): void {
  const { status, stderr } = spawnSync(needTool('taskset'), ['-acp', String(processor), String(pid)], {
    encoding: 'utf8',
  })
  if (status !== 0) throw new Error(`taskset failed: ${stderr.trim()}`)
}

async function answerLoad(
  { child, folder, loads }: Contender,
  name: (typeof loadNames)[number],
  processor: number,
): Promise<Turn> {
  const before = await processorSeconds(child.pid!)
  const { requests, perSecond } = await runWrk(folder, { ...loads[name], processor })
  const cpuSeconds = (await processorSeconds(child.pid!)) - before
  return { perSecond, cpuUs: (cpuSeconds / requests) * 1e6 }
}

function print(commit: string, turns: ReadonlyMap<string, Turn[][]>): void {
  const rows = [...turns].map(([name, pairs]) => {
    const pairsOf = (figure: keyof Turn): Pair[] =>
      pairs.map(([before, now]) => ({ before: before![figure], now: now![figure] }))
    const [cpu, rate] = [compared(pairsOf('cpuUs')), compared(pairsOf('perSecond'))]
    return [
      name,
      cpu.before.toFixed(1),
      cpu.now.toFixed(1),
      ...comparisonCells(cpu),
      rate.before.toFixed(0),
      rate.now.toFixed(0),
      rate.ratio.toFixed(3),
    ]
  })
  const header = [
    ...['', `CPU us/request, ${commit}`, 'now', ...comparisonHeader],
    ...['requests/s', 'now', 'now / before'],
  ]
  console.log(printTable(header, rows))
}
