// Compares two replicas that differ in so many entries, and counts what it takes. Every comparison must find exactly those.

import { answerQuestion } from '../../src/network/replication/comparison/answering.ts'
import { Comparison } from '../../src/network/replication/comparison/comparison.ts'
import type { Difference } from '../../src/network/replication/comparison/difference.ts'
import type { Holdings } from '../../src/network/replication/fixtures/holdings.ts'
import { allKeys } from '../../src/network/replication/sums/key-range.ts'
import type { RosterEntry } from '../../src/network/replication/sums/roster.ts'
import { RealRandom } from '../../src/platform/real/random.ts'
import { cpuMs, type Layout, openHoldings, type Replicas, withFolder, withReplicas } from './replicas.ts'

export interface ComparisonFigures {
  differences: number
  bytes: number
  roundTrips: number
  messages: number
  askingMs: number
  answeringMs: number
}

export interface SceneFigures {
  comparisons: ComparisonFigures[]
  /** Nothing on the asking side. */
  emptied: ComparisonFigures
  naive: ComparisonFigures
}

export function measureComparisons(layout: Layout, differences: readonly number[]): Promise<SceneFigures> {
  return withReplicas(layout, async (replicas) => {
    const comparisons: ComparisonFigures[] = []
    for (const count of differences) comparisons.push(await comparisonOf(layout, replicas, count))
    return {
      comparisons,
      emptied: await emptied(replicas.there),
      naive: naive(replicas),
    }
  })
}

/** Half of the differences are missing here, half there; afterwards all is as it was. */
async function comparisonOf(
  layout: Layout,
  { here, there }: Replicas,
  count: number,
): Promise<ComparisonFigures> {
  const picked = picks(layout, count)
  const [missingHere, missingThere] = [picked.slice(0, count >> 1), picked.slice(count >> 1)]
  await here.remove(missingHere)
  await there.remove(missingThere)
  const figures = compare(here, there, count)
  await here.add(missingHere)
  await there.add(missingThere)
  return figures
}

function picks(layout: Layout, count: number): RosterEntry[] {
  const random = new RealRandom()
  const numbers = new Set<number>()
  while (numbers.size < count) numbers.add(random.below(layout.entries))
  return [...numbers].map((number) => layout.entryOf(number))
}

function compare(here: Holdings, there: Holdings, differences: number): ComparisonFigures {
  const figures: ComparisonFigures = {
    differences,
    bytes: 0,
    roundTrips: 0,
    messages: 0,
    askingMs: 0,
    answeringMs: 0,
  }
  const comparison = new Comparison(here.sums, [allKeys], new RealRandom().bytes(8))
  let found = 0
  for (; !comparison.isDone; figures.roundTrips++) {
    const startMs = cpuMs()
    const questions = []
    for (let next = comparison.ask(); next !== undefined; next = comparison.ask()) questions.push(next)
    const askedMs = cpuMs()
    const answers = questions.map(({ bytes }) => answerQuestion(there.sums, bytes))
    const answeredMs = cpuMs()
    for (const [index, question] of questions.entries()) {
      figures.bytes += question.bytes.length + answers[index]!.length
      figures.messages += 2
      for (const difference of comparison.hear(question, answers[index]!)) found += sizeOf(difference)
    }
    figures.answeringMs += answeredMs - askedMs
    figures.askingMs += cpuMs() - answeredMs + askedMs - startMs
  }
  if (found !== differences) throw new Error(`${found} differences were found, not ${differences}`)
  return figures
}

function sizeOf(difference: Difference): number {
  if (difference.kind === 'ours') return difference.entries.length
  return difference.kind === 'theirs' ? difference.ids.length : difference.count
}

function emptied(there: Holdings): Promise<ComparisonFigures> {
  return withFolder(async (folder) => {
    const here = await openHoldings(folder)
    await here.coverAll()
    const figures = compare(here, there, there.sums.sumOf(allKeys).count)
    await here.close()
    return figures
  })
}

function naive({ here, there }: Replicas): ComparisonFigures {
  const startMs = cpuMs()
  const ids = Array.from(there.entries({}), ({ id }) => id)
  const message = Buffer.concat(ids)
  const sentMs = cpuMs()
  const theirs = new Set<string>()
  for (let at = 0; at < message.length; at += 16) theirs.add(message.toString('latin1', at, at + 16))
  let ours = 0
  for (const { id } of here.entries({})) if (!theirs.delete(Buffer.from(id).toString('latin1'))) ours++
  if (ours + theirs.size !== 0) throw new Error('the replicas are not the same again')
  const askingMs = cpuMs() - sentMs
  return {
    differences: 0,
    bytes: message.length,
    roundTrips: 1,
    messages: 1,
    askingMs,
    answeringMs: sentMs - startMs,
  }
}
