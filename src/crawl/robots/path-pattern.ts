// Path pattern: what follows `Allow:` or `Disallow:`, made ready for matching (RFC 9309, sections 2.2.2 and 2.2.3).
//
// `*` stands for any octets, `$` at the end for the end of the target. A pattern is a list of pieces between stars;
// taking the first place where each piece fits is enough, for what follows a star can only gain by starting early.
// So a target is walked once, whatever the number of stars: hostile patterns take linear time.

import { pathNormalForm, queryNormalForm, type TargetForms } from './path-normal-form.ts'
import { PieceSearch } from './piece-search.ts'

export class PathPattern {
  /** In normal form: the longer one is the more specific. */
  readonly octets: number
  readonly #head: string
  readonly #pieces: readonly PieceSearch[]
  readonly #isAnchored: boolean
  readonly #mayMeanEncodedQuery: boolean

  /** From a byte string without the white space around it. */
  constructor(written: string) {
    this.#isAnchored = written.endsWith('$')
    const pieces = normalPieces(this.#isAnchored ? written.slice(0, -1) : written)
    const stars = pieces.length - 1
    this.octets = pieces.reduce((sum, piece) => sum + piece.length, stars + (this.#isAnchored ? 1 : 0))
    this.#head = pieces[0]!
    this.#pieces = pieces
      .slice(1)
      .filter((piece, i, all) => piece !== '' || i === all.length - 1)
      .map((piece) => new PieceSearch(piece))
    // After a star, `%2F` may have been meant for a query, where it equals `/`.
    this.#mayMeanEncodedQuery = stars > 0 && pieces.some((piece) => /%2F|%3F/.test(piece))
  }

  matches(target: TargetForms): boolean {
    if (this.#matchesForm(target.plain)) return true
    return this.#mayMeanEncodedQuery && target.encoded !== target.plain && this.#matchesForm(target.encoded)
  }

  #matchesForm(target: string): boolean {
    if (!target.startsWith(this.#head)) return false
    const tail = this.#isAnchored ? this.#pieces.at(-1) : undefined
    if (this.#isAnchored && tail === undefined) return target.length === this.#head.length
    // The end first: looking there costs nothing, and mostly settles it.
    const end = target.length - (tail?.length ?? 0)
    if (tail !== undefined && !target.endsWith(tail.text)) return false
    let position = this.#head.length
    for (const piece of this.#pieces) {
      if (piece === tail) break
      const found = piece.find(target, position)
      if (found === -1) return false
      position = found + piece.length
    }
    return position <= end
  }
}

/** The pieces between stars; those after the first `?` are part of the query. */
function normalPieces(written: string): string[] {
  const pieces: string[] = []
  let isInQuery = false
  for (const piece of written.split('*')) {
    const question = isInQuery ? -1 : piece.indexOf('?')
    if (isInQuery) pieces.push(queryNormalForm(piece))
    else if (question === -1) pieces.push(pathNormalForm(piece))
    else {
      pieces.push(`${pathNormalForm(piece.slice(0, question))}?${queryNormalForm(piece.slice(question + 1))}`)
      isInQuery = true
    }
  }
  return pieces
}
