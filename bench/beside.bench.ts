// `npm run bench -- beside COMMIT[..LATER] NAME [--rounds 3] [-- options of NAME]`: benchmark NAME of an earlier commit and of this tree, by
// turns, and for every figure that both print, this tree's divided by the commit's. With `COMMIT..LATER` a later commit is measured
// in place of this tree.
//
// Machines are noisy, so both run within each round, and the median of the rounds' ratios counts (compared.ts). The commit is checked
// out into a worktree of its own, with its own benchmark code; the dependencies are those installed here. Figures are found by the
// tables that benchmarks print: a row is known by its first column, a figure by the header of its column.

import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { compared, comparisonCells, comparisonHeader } from './compared.ts'
import { withTrees } from './earlier-commit.ts'
import { printTable } from './measure.ts'
import { type Figures, figuresOf } from './printed-figures.ts'

const usage = 'Usage: npm run bench -- beside COMMIT[..LATER] NAME [--rounds 3] [-- options of NAME]'

interface Plan {
  readonly commit: string
  readonly name: string
  readonly rounds: number
  readonly options: readonly string[]
}

export async function run(words: string[]): Promise<void> {
  const plan = planOf(words)
  await withTrees(plan.commit, (before, now) => print(plan, runRounds(plan, before, now)))
}

function planOf(words: readonly string[]): Plan {
  const dashes = words.indexOf('--')
  const own = dashes === -1 ? [...words] : words.slice(0, dashes)
  const options = dashes === -1 ? [] : words.slice(dashes + 1)
  const at = own.indexOf('--rounds')
  const rounds = at === -1 ? 3 : Number(own.splice(at, 2)[1])
  const [commit, name] = own
  if (commit === undefined || name === undefined || own.length > 2 || !(rounds >= 1)) {
    console.error(usage)
    process.exit(64)
  }
  return { commit, name, rounds, options }
}

interface Round {
  readonly before: Figures
  readonly now: Figures
}

function runRounds(plan: Plan, before: string, later: string): Round[] {
  return Array.from({ length: plan.rounds }, (_, index) => {
    console.error(`round ${index + 1} of ${plan.rounds}`)
    // Whoever is second finds warm caches: the order changes.
    if (index % 2 === 1) {
      const now = figuresIn(later, plan)
      return { before: figuresIn(before, plan), now }
    }
    return { before: figuresIn(before, plan), now: figuresIn(later, plan) }
  })
}

function figuresIn(tree: string, { name, options }: Plan): Figures {
  const child = spawnSync(process.execPath, [join(tree, 'bench/run.ts'), name, ...options], {
    cwd: tree,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'inherit'],
    maxBuffer: 64 * 1024 * 1024,
  })
  if (child.status === 0) return figuresOf(child.stdout)
  console.error(`The benchmark failed:\n${child.stdout}`)
  process.exit(1)
}

function print({ commit, name }: Plan, rounds: readonly Round[]): void {
  const rows = [...rounds[0]!.now.keys()].flatMap((figure) => {
    const pairs = rounds.flatMap(({ before, now }) => {
      const [one, other] = [before.get(figure), now.get(figure)]
      return one === undefined || other === undefined || one === 0 ? [] : [{ before: one, now: other }]
    })
    if (pairs.length === 0) return []
    const comparison = compared(pairs)
    return [
      [
        figure,
        short(comparison.before),
        short(comparison.now),
        ...comparisonCells(comparison),
        pairs.map((pair) => (pair.now / pair.before).toFixed(3)).join(' '),
      ],
    ]
  })
  const header = [name, `at ${commit}`, 'now', ...comparisonHeader, 'of each round']
  console.log(printTable(header, rows))
}

function short(figure: number): string {
  return figure.toLocaleString('en', { maximumSignificantDigits: 4 })
}
