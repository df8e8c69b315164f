// What a store knows of captures that are hidden, gone or missing, for the status.

import { massRemovals, type RemovalStatus } from '../../model/removals.ts'
import type { Store } from '../../store/store.ts'
import type { StoreStat } from '../../store/store-stat.ts'

export function removalsOf(store: Pick<Store, 'takedowns'>, stat: StoreStat): RemovalStatus {
  const { hiddenCaptures, removed, quarantinedTakedowns } = stat
  const active = [...store.takedowns()].filter(({ stage }) => stage === 'hiding' || stage === 'hidden')
  return { hidden: hiddenCaptures, ...removed, quarantinedTakedowns, mass: massRemovals(active) }
}
