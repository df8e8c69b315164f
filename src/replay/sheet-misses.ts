// What style sheets asked for and the archive lacks, lately.
//
// A page's script learns of its missing parts by the browser's own timing entries, which leave out what style sheets of another
// origin ask for; and to a page of no origin all are. But such requests name the sheet as their referrer, so the server knows.
// Sheets are named by their replay address. Bounded by the bytes that are kept: what was asked for longest ago is forgotten.

import { LruCache } from '../model/lru-cache.ts'

interface Sheet {
  /** Archived URLs. */
  readonly missing: readonly string[]
  /** Replay addresses of sheets that it imports. */
  readonly imports: readonly string[]
}

const bytesMax = 1_000_000
const listedMax = 100
const urlCharsMax = 2_000
/** Sheets looked at for one answer. */
const sheetsMax = 100

const none: Sheet = { missing: [], imports: [] }

export class SheetMisses {
  readonly #sheets = new LruCache<string, Sheet>({
    bytesMax,
    sizeOf: ({ missing, imports }) =>
      200 + [...missing, ...imports].reduce((sum, url) => sum + 2 * url.length, 0),
  })

  noteMissing(sheet: string, url: string): void {
    const known = this.#sheets.get(sheet) ?? none
    this.#sheets.set(sheet, { ...known, missing: withOne(known.missing, url) })
  }

  noteImport(sheet: string, imported: string): void {
    const known = this.#sheets.get(sheet) ?? none
    this.#sheets.set(sheet, { ...known, imports: withOne(known.imports, imported) })
  }

  /** What these sheets lack, and those that they import. */
  of(sheets: readonly string[]): string[] {
    const missing = new Set<string>()
    const looked = new Set(sheets.slice(0, sheetsMax))
    for (const sheet of looked) {
      const known = this.#sheets.get(sheet) ?? none
      for (const url of known.missing) missing.add(url)
      for (const imported of known.imports) if (looked.size < sheetsMax) looked.add(imported)
    }
    return [...missing].slice(0, listedMax)
  }
}

function withOne(list: readonly string[], one: string): readonly string[] {
  if (list.includes(one) || list.length >= listedMax || one.length > urlCharsMax) return list
  return [...list, one]
}
