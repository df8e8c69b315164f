// Console: everything that its pages and interfaces ask for, in one place. `app/` gives the parts.

import type { RuleService } from '../crawl/rules/rule-service.ts'
import type { NetworkStatus, SoundnessStatus } from '../model/peer-status.ts'
import type { PeerSurvey } from '../model/survey.ts'
import type { StoreStat } from '../store/store-stat.ts'
import type { Actions } from './actions.ts'
import type { UpkeepState } from './store-upkeep.ts'

export interface StorageFacts extends StoreStat {
  readonly soundness: SoundnessStatus
  readonly isScrubbing: boolean
  readonly upkeep: UpkeepState | undefined
}

export interface Console {
  /** This peer; '' where it has no network. */
  readonly self: string
  readonly actions: Pick<Actions, 'list' | 'carryOut' | 'undo'>
  readonly rules: Pick<RuleService, 'list'>
  /** At which peer a site was placed; undefined: as the ring has it. */
  placedAt(site: string): string | undefined
  status(): Promise<NetworkStatus>
  /** Of this peer, or another of the network. */
  survey(peer: string): PeerSurvey
  storage(): Promise<StorageFacts>
}
