// Proves captures: what was signed, by whom, and where that is in the log of who signed it. For any capture that the archive can read,
// of this peer or of others.

import type { CaptureLocator, ProofApi, ToldSignature } from '../../api/v1/archive/proof-routes.ts'
import { PolyhistorError } from '../../errors.ts'
import { readWarc } from '../../formats/warc/reading/reader.ts'
import { type ArchivedCapture, versionsOf } from '../../model/archive.ts'
import { chooseCapture } from '../../model/capture-choice.ts'
import { firstOf } from '../../model/listed.ts'
import { peerOfPublicKey } from '../../network/membership/peer-key.ts'
import type { ReadableArchive } from '../../network/remote-reads/archive/readable-archive.ts'
import type { CaptureSignature } from '../../proof/capture-signature.ts'
import { accountUrl, checkLooks, corroborationBytesMax } from '../../proof/corroboration.ts'
import type { LogInclusion } from '../../proof/log/capture-log.ts'
import type { LogHead } from '../../proof/log/log-head.ts'
import { areEqual, type Hash, leafOfText } from '../../proof/merkle-tree.ts'
import { ProofError } from '../../proof/proof-error.ts'
import { type ProofJson, proofJson, type Signed } from '../../proof/proof-file.ts'
import { sha256Digest } from '../../store/contents/content-digest.ts'
import { fateOf } from '../../store/import/capture-making.ts'
import { readRecord } from '../../store/import/read-record.ts'
import type { Spool } from '../../store/spool.ts'
import { payloadIn, proofOfRecord, type RecordProof, unsigned } from '../../verification/record-proof.ts'
import type { HomeProof } from './home-proof.ts'

export interface ProofNeeds {
  readonly archive: ReadableArchive
  readonly proof: Pick<HomeProof, 'captures' | 'signer'>
  readonly spool: Spool
  /** Where the log of another peer has a capture; undefined when it cannot be asked. */
  remoteInclusion?(key: Uint8Array, leaf: Hash, signedAtMs: number): Promise<LogInclusion | undefined>
}

/** Larger ones are proven by their digest alone. */
const payloadBytesMax = 32 * 1024 * 1024

export class ProofService implements ProofApi {
  readonly #needs: ProofNeeds

  constructor(needs: ProofNeeds) {
    this.#needs = needs
  }

  async find({ url, span, policy }: CaptureLocator): Promise<ArchivedCapture | undefined> {
    return chooseCapture(versionsOf(this.#needs.archive), { url, span, policy })
  }

  /** Throws 'proof-none' for a capture that nobody signed. */
  async prove(capture: ArchivedCapture): Promise<ProofJson> {
    const { record, payload } = await this.#record(capture)
    const { signature, statement, head } = record
    if (signature === undefined || statement === undefined)
      throw new ProofError('proof-none', `${capture.url} is not signed: who captured it cannot be proven.`)
    const inclusion = await this.#inclusion(signature, leafOfText(statement))
    const seen = await this.#account(capture)
    return proofJson({ statement, signature }, { head, payload }, inclusion, seen)
  }

  async signature(capture: ArchivedCapture): Promise<ToldSignature> {
    const { record } = await this.#record(capture)
    const { signature, steps } = record
    const isRight = steps.every(({ holds }) => holds)
    const seen = await this.#seen(capture, record)
    if (signature === undefined)
      return {
        state: steps.some(({ what }) => what === unsigned) ? 'not-signed' : 'wrong',
        by: null,
        as: null,
        signedAt: null,
        seen,
      }
    return {
      state: isRight ? 'verified' : 'wrong',
      by: peerOfPublicKey(signature.key) ?? null,
      as: signature.isImported ? 'imported' : 'captured',
      signedAt: new Date(signature.signedAtMs).toISOString(),
      seen,
    }
  }

  /** Other peers that signed what they saw of it. */
  async #seen(
    { url, capturedAtMs }: ArchivedCapture,
    { signature, facts: { payloadDigest } }: RecordProof,
  ): Promise<ToldSignature['seen']> {
    const account = await this.#accountRecord({ url, capturedAtMs })
    if (account === undefined) return []
    const page = { url, capturedAtMs, payloadDigest, key: signature?.key }
    return checkLooks(account.payload, page).seen.flatMap(({ key, atMs, verdict }) => {
      const by = peerOfPublicKey(key)
      return by === undefined ? [] : [{ by, at: new Date(atMs).toISOString(), verdict }]
    })
  }

  /** What others saw, as a proof file has it; undefined where nobody signed that. */
  async #account(capture: ArchivedCapture): Promise<(Signed & { payload: Uint8Array }) | undefined> {
    const found = await this.#accountRecord(capture)
    const { statement, signature } = found?.record ?? {}
    return found && statement && signature ? { statement, signature, payload: found.payload } : undefined
  }

  async #accountRecord({
    url,
    capturedAtMs,
  }: Pick<ArchivedCapture, 'url' | 'capturedAtMs'>): Promise<
    { record: RecordProof; payload: Uint8Array } | undefined
  > {
    const filed = accountUrl(url)
    if (filed === undefined) return undefined
    try {
      const span = { fromMs: capturedAtMs, toMs: capturedAtMs + 1, limit: 1 }
      const view = await firstOf(this.#needs.archive.versions(filed, span))
      if (view === undefined || view.payloadBytes > corroborationBytesMax) return undefined
      const { record, payload } = await this.#record(view)
      return payload && { record, payload }
    } catch (error) {
      if (!(error instanceof PolyhistorError)) throw error
      return undefined
    }
  }

  async head(): Promise<LogHead | undefined> {
    return this.#needs.proof.captures?.update()
  }

  async consistency(first: number, second: number): Promise<readonly Hash[] | undefined> {
    return this.#needs.proof.captures?.consistency(first, second)
  }

  get publicKey(): Uint8Array {
    return this.#needs.proof.signer.key.publicKey
  }

  async #inclusion({ key, signedAtMs }: CaptureSignature, leaf: Hash): Promise<LogInclusion | undefined> {
    const { proof, remoteInclusion } = this.#needs
    if (!areEqual(key, proof.signer.key.publicKey)) return remoteInclusion?.(key, leaf, signedAtMs)
    await proof.captures?.update()
    return proof.captures?.inclusion(leaf, signedAtMs)
  }

  /** As an export has it: so it is the same for what lies here and for what others keep. */
  async #record(capture: ArchivedCapture): Promise<{ record: RecordProof; payload: Uint8Array | undefined }> {
    const { archive, spool } = this.#needs
    const selection = { kind: 'url', url: capture.url } as const
    const { chunks } = archive.export({ format: 'warc', selection, captures: [capture] })
    for await (const item of readWarc(chunks)) {
      if (item.kind === 'damage') throw item.error
      if (fateOf(item.record) !== 'capture') continue
      const read = await readRecord({ spool, digest: sha256Digest }, item.record, item.offset)
      try {
        const record = proofOfRecord(read)
        if (record === undefined) continue
        const payload = payloadIn(read)
        return { record, payload: payload && payload.length <= payloadBytesMax ? payload : undefined }
      } finally {
        await read.discard()
      }
    }
    throw new ProofError('proof-none', `${capture.url} could not be read.`)
  }
}
