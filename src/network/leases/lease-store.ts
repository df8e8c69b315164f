// What this peer knows of leases, as a member or as a lease holder. Survives crashes: a member that forgot what it accepted
// could accept two.

import { readableOr } from '../../formats/wire/message-bytes.ts'
import { sealed, unsealed } from '../../formats/wire/sealed-record.ts'
import { ringKeyToBytes } from '../../model/ring-key.ts'
import type { KeyValue, Table } from '../../platform/storage/key-value.ts'
import { type SiteId, type SiteRecord, unheardOf } from './lease.ts'
import { siteRecord } from './wire/lease-coding.ts'

export class LeaseStore {
  readonly #map: KeyValue
  readonly #table: Table
  /** The store is empty: no lease was ever granted here. */
  readonly isNew: boolean

  constructor(map: KeyValue) {
    this.#map = map
    this.#table = map.table('stewardships')
    const [first] = this.#table.range({ limit: 1 })
    this.isNew = first === undefined
  }

  get(site: SiteId): SiteRecord {
    const bytes = this.#table.get(ringKeyToBytes(site))
    return bytes === undefined ? unheardOf : readableOr(() => siteRecord.decode(unsealed(bytes)), unheardOf)
  }

  /** There was a record, and it cannot be read: we may have voted for what we do not know any more. */
  hasForgotten(site: SiteId): boolean {
    return this.#table.get(ringKeyToBytes(site)) !== undefined && this.get(site) === unheardOf
  }

  /** Reads and writes in one transaction. Resolves when the changes are on disk. */
  async change<T>(action: (put: (site: SiteId, record: SiteRecord) => void) => T): Promise<T> {
    let isChanged = false
    const result = await this.#map.transaction(() =>
      action((site, record) => {
        isChanged = true
        this.#table.put(ringKeyToBytes(site), sealed(siteRecord.encode(record)))
      }),
    )
    if (isChanged) await this.#map.flush()
    return result
  }
}
