// What every ordered map must do. What survives a power cut only a simulated one can be asked (simulated/), what
// survives the end of its process only a real one (real/).

import { describe } from 'vitest'
import type { WithKeyValues, WithMap } from '../fixtures/key-value-words.ts'
import { mapContract } from './key-value-map.contract.ts'
import { rangeContract } from './key-value-range.contract.ts'
import { tableContract } from './key-value-table.contract.ts'
import { transactionContract } from './key-value-transaction.contract.ts'

export function keyValueContract(withMaps: WithKeyValues): void {
  const withMap: WithMap = (body) =>
    withMaps(async (maps, folder) => {
      const map = await maps.open(folder)
      await body(map, map.table('table'))
      await map.close()
    })
  describe('table', () => tableContract(withMap))
  describe('range', () => rangeContract(withMap))
  describe('transaction', () => transactionContract(withMap))
  describe('map', () => mapContract(withMaps))
}
