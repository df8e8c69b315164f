// All scenarios by name.

import { recrawlScenario } from './recrawl/scenario.ts'
import { ringScenario } from './ring/scenario.ts'
import type { Scenario } from './scenario.ts'
import { storeScenario } from './store/scenario.ts'

export const scenarios: Record<string, Scenario> = {
  store: storeScenario,
  recrawl: recrawlScenario,
  ring: ringScenario,
}
