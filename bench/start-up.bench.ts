// `npm run bench -- start-up [--rounds 15]`: what a command costs before it does anything: `polyhistor url` of this tree as its package has
// it, and from sources, beside a bare `node -e 0`, by turns. Processor time of whole processes, and how long they took; the medians count,
// and the ratio of each round. The first round fills the compile cache and does not count.

import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { compared, comparisonCells } from './compared.ts'
import { root, withBuilt } from './earlier-commit.ts'
import { median, printTable } from './measure.ts'

const url = 'https://example.com/'

export async function run(words: string[]): Promise<void> {
  const { values } = parseArgs({ args: words, options: { rounds: { type: 'string', default: '15' } } })
  const home = mkdtempSync(join(tmpdir(), 'polyhistor-start-up-'))
  try {
    await withBuilt(async (built) => {
      const commands = [
        ['node -e 0', ['-e', '0']],
        ['polyhistor url, the package', [join(built, 'bin/polyhistor.cjs'), 'url', url]],
        ['the same with an option', [join(built, 'bin/polyhistor.cjs'), 'url', url, '--home', home]],
        ['polyhistor url, from sources', [join(root, 'src/cli/main.ts'), 'url', url]],
      ] as const
      const costs = commands.map((): Cost[] => [])
      for (let round = 0; round <= Number(values.rounds); round++) {
        for (const [index, [, args]] of commands.entries()) {
          const cost = costOf(args, home)
          if (round > 0) costs[index]!.push(cost)
        }
      }
      print(
        commands.map(([name]) => name),
        costs,
      )
    })
  } finally {
    rmSync(home, { recursive: true, force: true })
  }
}

interface Cost {
  readonly cpuMs: number
  readonly wallMs: number
}

function costOf(args: readonly string[], home: string): Cost {
  const times = join(home, 'times')
  const environment = { ...process.env, POLYHISTOR_HOME: home, NODE_COMPILE_CACHE: join(home, 'compiled') }
  const startMs = performance.now()
  const { status } = spawnSync(
    'bash',
    ['-c', 'TIMEFORMAT="%3U %3S"; { time "$@" > /dev/null; } 2> "$0"', times, process.execPath, ...args],
    { env: environment },
  )
  const wallMs = performance.now() - startMs
  if (status !== 0) throw new Error(`${args.join(' ')} ended with ${status}`)
  const [user, system] = readFileSync(times, 'utf8').trim().split(' ').map(Number)
  return { cpuMs: (user! + system!) * 1_000, wallMs }
}

function print(names: readonly string[], costs: readonly Cost[][]): void {
  const bare = costs[0]!
  const rows = names.map((name, index) => {
    const own = costs[index]!
    const pairs = own.map(({ cpuMs }, round) => ({ before: bare[round]!.cpuMs, now: cpuMs }))
    return [
      name,
      median(own.map(({ cpuMs }) => cpuMs)).toFixed(0),
      median(own.map(({ wallMs }) => wallMs)).toFixed(0),
      ...comparisonCells(compared(pairs)),
    ]
  })
  const header = ['', 'CPU ms', 'ms', 'CPU / node -e 0', '95 % interval', 'geometric mean']
  console.log(printTable(header, rows))
}
