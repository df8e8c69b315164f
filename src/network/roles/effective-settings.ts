// What holds for a network by all settings that count. Of settings that did not know of each other the stricter ones do.

import type { RoleSettings } from './role-statement.ts'
import type { Node } from './statement-node.ts'

export interface EffectiveSettings {
  /** Administrators that it takes to name or remove one. */
  readonly threshold: number
  readonly takedownSignatures: number
  readonly takedownDelayMs: number
  /** 0: no bound. */
  readonly jobPagesMax: number
}

const settingsDefault: EffectiveSettings = {
  threshold: 1,
  takedownSignatures: 1,
  takedownDelayMs: 0,
  jobPagesMax: 0,
}

/** Whether the second was said by who knew of the first. */
export type IsBefore = (one: Node, other: Node) => boolean

/** By all statements that count. */
export function effectiveSettings(effective: Iterable<Node>, isBefore: IsBefore): EffectiveSettings {
  const said = [...effective].filter(({ statement }) => statement.what.act === 'settings')
  const newest = (name: keyof RoleSettings): number[] => {
    const naming = said.filter(
      (node) => valueIn(node, name) !== undefined && (name !== 'threshold' || node.right === 'founder'),
    )
    return naming
      .filter((one) => !naming.some((other) => other !== one && isBefore(one, other)))
      .map((node) => valueIn(node, name)!)
  }
  const most = (name: keyof RoleSettings) => Math.max(settingsDefault[name], ...newest(name))
  const pages = newest('jobPagesMax').filter((pagesMax) => pagesMax > 0)
  return {
    threshold: most('threshold'),
    takedownSignatures: most('takedownSignatures'),
    takedownDelayMs: most('takedownDelayMs'),
    jobPagesMax: pages.length === 0 ? 0 : Math.min(...pages),
  }
}

/** How many administrators a statement takes: by the thresholds that it knew, and those that did not know of it. */
export function thresholdFor(node: Node, thresholds: readonly Node[], isBefore: IsBefore): number {
  const concurrent = thresholds.filter((other) => !isBefore(other, node) && !isBefore(node, other))
  const known = thresholds.filter((other) => isBefore(other, node))
  const newest = known.filter((one) => !known.some((other) => other !== one && isBefore(one, other)))
  return Math.max(settingsDefault.threshold, ...[...concurrent, ...newest].map(thresholdIn))
}

function valueIn({ statement }: Node, name: keyof RoleSettings): number | undefined {
  return statement.what.act === 'settings' ? statement.what[name] : undefined
}

function thresholdIn(node: Node): number {
  return valueIn(node, 'threshold') ?? settingsDefault.threshold
}
