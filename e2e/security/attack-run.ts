// Runs attacks one after the other against honest peers that crawl, and tells of each whether it was held.
//
// An attack that did harm is followed by a new network: what comes next is judged by itself.

import type { Attack, Size } from './attack.ts'
import { Stage } from './stage.ts'

export interface AttackPlan {
  readonly attacks: readonly Attack[]
  readonly size: Size
  readonly seed: string
  /** Every honest peer is started again after each attack, and not at the end alone: tells which attack keeps one from starting. */
  readonly restartsEach?: boolean
  readonly tell: (sentence: string) => void
}

export interface Outcome {
  readonly name: string
  /** What it did, in sentences; none: it was held. */
  readonly harm: readonly string[]
}

export interface AttackReport {
  readonly outcomes: readonly Outcome[]
  /** Beside what single attacks did: at the end the crawl must be complete, everything be readable, every peer start again. */
  readonly shortcomings: readonly string[]
}

const crawlMsMax = { short: 600_000, full: 900_000 }

export async function runAttacks(plan: AttackPlan): Promise<AttackReport> {
  const { attacks, tell } = plan
  const outcomes: Outcome[] = []
  let stage: Stage | undefined
  try {
    for (const attack of attacks) {
      stage ??= await Stage.start(plan)
      const startMs = performance.now()
      const harm = await harmOf(attack, stage, plan)
      outcomes.push({ name: attack.name, harm })
      const seconds = ((performance.now() - startMs) / 1_000).toFixed(1)
      tell(`${attack.name}: ${harm.length === 0 ? 'held' : `BROKE: ${harm.join('; ')}`} (${seconds} s)`)
      if (harm.length === 0) continue
      await stage.end()
      stage = undefined
    }
    stage ??= await Stage.start(plan)
    return { outcomes, shortcomings: await shortcomingsAtTheEnd(stage, plan) }
  } finally {
    await stage?.end()
  }
}

async function harmOf(attack: Attack, stage: Stage, { restartsEach }: AttackPlan): Promise<string[]> {
  try {
    const before = await stage.acknowledged()
    const harm = await stage.watching(async () => {
      const own = await attack.run(stage)
      return [...own, ...(await stage.harm(before))]
    })
    if (harm.length > 0 || restartsEach !== true) return harm
    for (const peer of stage.honest) harm.push(...(await stage.restart(peer)))
    return harm.length > 0 ? harm : await stage.harm(before)
  } catch (error) {
    return [`it could not be carried out: ${(error as Error).stack}`]
  }
}

async function shortcomingsAtTheEnd(stage: Stage, { size, tell }: AttackPlan): Promise<string[]> {
  const found = await stage.crawlDone(crawlMsMax[size])
  const before = await stage.acknowledged()
  tell(`The crawl has ended: ${before.size} URLs are kept`)
  found.push(...(await stage.shortcomings(before)))
  for (const peer of stage.honest) found.push(...(await stage.restart(peer)))
  found.push(...(await stage.harm(before)))
  if (found.length === 0) found.push(...(await stage.shortcomings(before)))
  tell('Every honest peer was started again')
  return found
}
