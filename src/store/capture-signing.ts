// Signs what this peer itself captures or imports, where it has been told with which key. What others signed stays as it is.

import type { Digest } from '../model/digest.ts'
import type { CaptureSigner } from '../proof/capture-signer.ts'
import type { PackageSigner } from '../proof/package-signature.ts'
import type { KeepOptions, NewCapture } from './capture.ts'
import type { AnswerFacts } from './reading/answer-facts.ts'
import { checkSignature, factsToSign } from './records/proof-mark.ts'

export class CaptureSigning {
  #signer: CaptureSigner | undefined

  signWith(signer: CaptureSigner): void {
    this.#signer = signer
  }

  /** For packages; undefined where nothing is signed. */
  get packages(): PackageSigner | undefined {
    return this.#signer?.packages
  }

  /** Throws WarcDamage where it has a signature that does not hold. */
  async signed(
    capture: NewCapture,
    { headBytes }: Pick<AnswerFacts, 'headBytes'>,
    payloadDigest: Digest | undefined,
    { isOurs = false }: KeepOptions,
  ): Promise<NewCapture> {
    if (capture.signature !== undefined) {
      if (capture.logLeaf === undefined) checkSignature(capture, payloadDigest)
      return capture
    }
    if (!isOurs || this.#signer === undefined) return capture
    const start = capture.block instanceof Uint8Array ? capture.block : capture.block.head
    const head = capture.contentType === undefined ? start.subarray(0, headBytes) : undefined
    const facts = factsToSign({ ...capture, url: capture.url.href }, head, payloadDigest)
    const isImported = capture.importedBy !== undefined
    // Others would not believe it: the clock was set meanwhile.
    if (!this.#signer.isTimely(capture.capturedAtMs, isImported)) return capture
    const { field, leaf } = await this.#signer.sign({ facts, isImported })
    return { ...capture, signature: field, logLeaf: leaf }
  }
}
