// How a record is called by others: id, URL and date, for the WARC-Refers-To fields of revisits.
//
// Read from the record itself. Popular contents are pointed at again and again, so the last answers are remembered.

import { dateOf, recordIdOf, targetUriOf } from '../../formats/warc/record.ts'
import type { Revisited } from '../../formats/warc/record-builder.ts'
import { LruCache } from '../../model/lru-cache.ts'
import type { Location } from '../index/location.ts'
import type { RecordReader } from './record-reader.ts'

const namesMax = 10_000

export class RecordNaming {
  readonly #records: RecordReader
  readonly #names = new LruCache<string, Revisited>({ max: namesMax })

  constructor(needs: { records: RecordReader }) {
    this.#records = needs.records
  }

  async of(location: Location): Promise<Revisited> {
    const place = `${location.volume}:${location.offset}`
    const known = this.#names.get(place)
    if (known !== undefined) return known
    const { fields } = await this.#records.start(location)
    const id = recordIdOf({ fields })?.replace(/^<urn:uuid:|>$/g, '')
    const name: Revisited = { id, targetUri: targetUriOf({ fields })!, date: dateOf({ fields })! }
    this.#names.set(place, name)
    return name
  }
}
