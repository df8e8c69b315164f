// What a store must hold, from what its callers were told; and the check that it does.
//
// Promises checked: what was acknowledged is there and reads back byte for byte; what is there was asked for, and reads
// back too, acknowledged or not; what was taken down is not there, and all of it is again when it was released. Of an operation
// that was begun and never answered either outcome is right; once one was seen it must stay.

import assert from 'node:assert/strict'
import { printDigest } from '../../src/model/digest.ts'
import { parseUrl } from '../../src/model/url/url.ts'
import { bytesOf } from '../../src/store/fixtures/sample-captures.ts'
import type { Store } from '../../src/store/store.ts'
import {
  type AppendOperation,
  type Body,
  bytesOfBody,
  digestOfBody,
  headOf,
  type Operation,
} from './operation.ts'

interface ExpectedCapture {
  operation: AppendOperation
  isKept: boolean
}

interface ExpectedPuts {
  body: Body
  min: number
  max: number
}

export class Expectation {
  readonly #captures = new Map<string, ExpectedCapture>()
  readonly #puts = new Map<string, ExpectedPuts>()
  /** false: nobody knows whether it is one. */
  readonly #takedowns = new Map<string, boolean>()
  /** How many takedowns and releases of a URL are under way. */
  readonly #pending = new Map<string, number>()
  /** Of captures not read since they were kept. */
  readonly #unread = new Set<string>()

  get captureCount(): number {
    return this.#captures.size
  }

  /** Before the store hears of it. */
  begin(operation: Operation): void {
    switch (operation.kind) {
      case 'append': {
        const name = nameOf(operation)
        if (!this.#captures.has(name)) this.#captures.set(name, { operation, isKept: false })
        return
      }
      case 'put':
        this.#putsOf(operation.body).max++
        return
      case 'delete':
        this.#putsOf(operation.body).min--
        return
      case 'takedown':
      case 'release':
        this.#pending.set(operation.url, (this.#pending.get(operation.url) ?? 0) + 1)
        if (operation.kind === 'release' || !this.#takedowns.has(operation.url))
          this.#takedowns.set(operation.url, false)
    }
  }

  /** The store said that it is done. */
  done(operation: Operation): void {
    switch (operation.kind) {
      case 'append':
        this.#captures.get(nameOf(operation))!.isKept = true
        this.#unread.add(nameOf(operation))
        return
      case 'put':
        this.#putsOf(operation.body).min++
        return
      case 'delete':
        this.#putsOf(operation.body).max--
        return
      case 'takedown':
        this.#takedowns.set(operation.url, this.#ended(operation.url))
        return
      case 'release':
        if (this.#ended(operation.url)) this.#takedowns.delete(operation.url)
    }
  }

  /** The store refused, for good reasons: nothing has happened. */
  refused(operation: Operation): void {
    if (operation.kind === 'delete') this.#putsOf(operation.body).min++
    if (operation.kind === 'release') this.#ended(operation.url)
  }

  /** With nothing under way. Reads `sample` of the captures that were read before, and all others. */
  async check(store: Store, sample: (count: number) => boolean): Promise<void> {
    this.#pending.clear()
    this.#settleTakedowns(store)
    const listed = this.#checkListed(store)
    for (const [name, { operation, isKept }] of this.#captures) {
      if (listed.has(name) || this.#takedowns.get(operation.url)) continue
      assert(!isKept, `lost: ${JSON.stringify(operation)}`)
      // Whoever was to write it is gone.
      this.#captures.delete(name)
    }
    const { captures } = await store.stat()
    assert.equal(captures, listed.size, 'the total of captures is wrong')
    for (const [name, capture] of listed) {
      if (this.#unread.has(name) || sample(listed.size)) {
        await this.#checkRead(store, this.#captures.get(name)!.operation, capture)
      }
    }
    this.#unread.clear()
    await this.#checkPuts(store)
  }

  /** One takedown or release of it less is under way. True when that was the only one. */
  #ended(url: string): boolean {
    const left = (this.#pending.get(url) ?? 1) - 1
    if (left === 0) this.#pending.delete(url)
    else this.#pending.set(url, left)
    return left === 0
  }

  #settleTakedowns(store: Store): void {
    const there = new Set([...store.takedowns()].map(({ target }) => (target as { url: string }).url))
    for (const [url, isDone] of this.#takedowns) {
      if (there.has(url)) this.#takedowns.set(url, true)
      else {
        assert(!isDone, `the takedown of ${url} is lost`)
        this.#takedowns.delete(url)
      }
    }
  }

  #checkListed(store: Store) {
    const listed = new Map<string, Parameters<Store['read']>[0]>()
    for (const capture of store.scan({ kind: 'all' })) {
      const name = nameOf(capture)
      assert(!listed.has(name), `there twice: ${name}`)
      const expected = this.#captures.get(name)
      assert(expected !== undefined, `nobody asked for ${name}`)
      assert(!this.#takedowns.get(expected.operation.url), `taken down, and still there: ${name}`)
      if (!expected.isKept) this.#unread.add(name)
      expected.isKept = true
      listed.set(name, capture)
    }
    return listed
  }

  async #checkRead(
    store: Store,
    operation: AppendOperation,
    capture: Parameters<Store['read']>[0],
  ): Promise<void> {
    const answer = await store.read(capture)
    const text = JSON.stringify(operation)
    assert.equal(Buffer.from(answer.head!).toString(), headOf(operation), text)
    assert(bytesOfBody(operation.body).equals(await bytesOf(answer.payload())), `other bytes: ${text}`)
    const [first] = store.versions(parseUrl(operation.url), { fromMs: operation.capturedAtMs, limit: 1 })
    assert.equal(first?.capturedAtMs, operation.capturedAtMs, text)
  }

  async #checkPuts(store: Store): Promise<void> {
    for (const { body, min } of this.#puts.values()) {
      if (min <= 0) continue
      const digest = digestOfBody(body)
      assert.deepEqual(store.has([digest]), [true], `lost: put of page ${body.page}`)
      assert(bytesOfBody(body).equals(await bytesOf(store.get({ digest, overflow: 0 }))))
    }
  }

  #putsOf(body: Body): ExpectedPuts {
    const name = printDigest(digestOfBody(body))
    let puts = this.#puts.get(name)
    if (puts === undefined) this.#puts.set(name, (puts = { body, min: 0, max: 0 }))
    return puts
  }
}

function nameOf({ url, capturedAtMs }: { url: string; capturedAtMs: number }): string {
  return `${capturedAtMs} ${url}`
}
