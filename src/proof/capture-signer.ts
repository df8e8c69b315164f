// Signs captures in the name of this peer. Those of one moment are signed together.

import { Batcher } from '../platform/batcher.ts'
import type { Clock } from '../platform/clock.ts'
import { isSignedInTime, type SignedCapture, signCaptures, signedTogetherMax } from './capture-signature.ts'
import type { CapturedFacts } from './capture-statement.ts'
import { SigningKey } from './ed25519.ts'
import { PackageSigner } from './package-signature.ts'

export interface CaptureToSign {
  readonly facts: CapturedFacts
  /** It is taken from a file, not fetched. */
  readonly isImported: boolean
}

export class CaptureSigner {
  readonly key: SigningKey
  /** For threads that sign in this peer's name. */
  readonly seed: string
  /** Made when it is asked for: few need it, and it takes a millisecond or two. */
  #packages: PackageSigner | undefined
  readonly #clock: Clock
  readonly #batcher: Batcher<CaptureToSign, SignedCapture>

  constructor(needs: { clock: Clock }, seed: Uint8Array) {
    this.#clock = needs.clock
    this.key = new SigningKey(seed)
    this.seed = Buffer.from(seed).toString('hex')
    this.#batcher = new Batcher(needs, { itemsMax: signedTogetherMax }, async (captures) =>
      signCaptures(this.key, captures, Math.round(needs.clock.nowMs())),
    )
  }

  /** Signs the packages that captures are exported in. */
  get packages(): PackageSigner {
    this.#packages ??= new PackageSigner(Buffer.from(this.seed, 'hex'))
    return this.#packages
  }

  /** Whether a signature of now is one that others believe. */
  isTimely(capturedAtMs: number, isImported: boolean): boolean {
    return isSignedInTime({ isImported, signedAtMs: this.#clock.nowMs() }, capturedAtMs)
  }

  sign(capture: CaptureToSign): Promise<SignedCapture> {
    return this.#batcher.add(capture)
  }
}
