// All scenarios by name.

import { durabilityScenario } from './archive/durability/scenario.ts'
import { archiveScenario } from './archive/scenario.ts'
import { auditsScenario } from './audits/scenario.ts'
import { changesScenario } from './changes/scenario.ts'
import { exchangeScenario } from './exchange/scenario.ts'
import { sameSecondScenario } from './hostile/same-second.ts'
import { hostileScenario } from './hostile/scenario.ts'
import { leasesScenario, liarScenario } from './leases/scenario.ts'
import { lossesScenario, volunteersScenario, wholeScenario } from './peer/scenario.ts'
import { recrawlScenario } from './recrawl/scenario.ts'
import { lookupsScenario, ringScenario } from './ring/scenario.ts'
import { roleAttacksScenario } from './roles/role-attacks.ts'
import { rolesScenario } from './roles/scenario.ts'
import { scaleScenario } from './scale/scenario.ts'
import type { Scenario } from './scenario.ts'
import { sitesScenario } from './sites/scenario.ts'
import { storeScenario } from './store/scenario.ts'
import { feedingScenario, proximityScenario, trustScenario } from './volunteers/scenario.ts'

export const scenarios: Record<string, Scenario> = {
  store: storeScenario,
  recrawl: recrawlScenario,
  ring: ringScenario,
  lookups: lookupsScenario,
  scale: scaleScenario,
  archive: archiveScenario,
  durability: durabilityScenario,
  exchange: exchangeScenario,
  leases: leasesScenario,
  liar: liarScenario,
  sites: sitesScenario,
  hostile: hostileScenario,
  'same-second': sameSecondScenario,
  whole: wholeScenario,
  losses: lossesScenario,
  volunteers: volunteersScenario,
  feeding: feedingScenario,
  proximity: proximityScenario,
  trust: trustScenario,
  changes: changesScenario,
  audits: auditsScenario,
  roles: rolesScenario,
  'role-attacks': roleAttacksScenario,
}
