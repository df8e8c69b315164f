// Import map: what the bare specifiers of a page's modules stand for (`<script type="importmap">`).
//
// Only the map that holds for the whole page is read, not its scopes: which script is in which scope is not known here. All
// addresses of all of them count as needed.

import { parseJson } from '../../../model/json.ts'

const entriesMax = 10_000

export class ImportMap {
  readonly #addresses = new Map<string, string>()
  /** Every address of the map that is one file: prefixes end in a slash. */
  readonly files: string[] = []

  /** Whatever is no import map has no entries. */
  constructor(text: string) {
    const { imports, scopes } = fieldsOf(parseJson(text))
    for (const [specifier, address] of addressesIn(imports)) {
      this.#addresses.set(specifier, address)
      this.#note(address)
    }
    for (const scope of Object.values(fieldsOf(scopes)))
      for (const [, address] of addressesIn(scope)) this.#note(address)
  }

  /** As written in the map, relative to the page; undefined when the map does not name it. */
  resolve(specifier: string): string | undefined {
    const exact = this.#addresses.get(specifier)
    if (exact !== undefined) return exact
    // The longest prefix counts: it is the one with most segments.
    for (let end = specifier.lastIndexOf('/'); end > 0; end = specifier.lastIndexOf('/', end - 1)) {
      const address = this.#addresses.get(specifier.slice(0, end + 1))
      if (address?.endsWith('/')) return address + specifier.slice(end + 1)
    }
    return undefined
  }

  #note(address: string): void {
    if (!address.endsWith('/') && this.files.length < entriesMax) this.files.push(address)
  }
}

function* addressesIn(map: unknown): Iterable<[string, string]> {
  let count = 0
  for (const [specifier, address] of Object.entries(fieldsOf(map)))
    if (typeof address === 'string' && count++ < entriesMax) yield [specifier, address]
}

function fieldsOf(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {}
}
