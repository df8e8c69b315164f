// The networks that durability is measured on.

import { type ChurnModel, defaultChurn } from './churn-model.ts'
import type { StorageModel } from './durability-run.ts'

export interface NetworkModel {
  churn: ChurnModel
  storage: StorageModel
}

const storage: StorageModel = { entries: 1e7, bytesPerEntry: 20_000, arcs: 4_096, bytesPerSecond: 1e6 }

export const models: Record<string, NetworkModel> = {
  /** Each peer is away for some hours, now and then for days. */
  lognormal: { churn: defaultChurn, storage },
  /** Twice a year a region of fifty peers is cut off for a day. */
  regions: { churn: { ...defaultChurn, outagesPerYear: 2 }, storage },
  /** Long absences are much likelier than the policy takes them to be. */
  pareto: { churn: { ...defaultChurn, absenceLaw: 'pareto' }, storage },
  weibull: { churn: { ...defaultChurn, absenceLaw: 'weibull' }, storage },
  /** Away for three days at a time. */
  slow: { churn: { ...defaultChurn, absenceHoursMedian: 54 }, storage },
  /** 100 GB at each peer, as Herodotus has it: a copy of it takes a day. */
  loaded: { churn: defaultChurn, storage: { ...storage, entries: 1.67e9, arcs: 8_192 } },
}
