// The address guard on the real wire: literals, DNS answers, kept-alive connections.

import assert from 'node:assert/strict'
import { test } from 'vitest'
import type { AddressRule } from '../../network/web.ts'
import { RealClock } from '../clock.ts'
import { DnsServer } from '../fixtures/dns-server.ts'
import { withHostileOrigin } from '../fixtures/hostile-origin.ts'
import { bodyOf, failureOf, responseTo, wideLimits, withWeb } from '../fixtures/test-web.ts'
import { Names, systemLookupsMax } from './names.ts'
import type { WebOptions } from './web.ts'

const only = (...allowed: string[]): AddressRule => ({
  refusal: (address) => (allowed.includes(address) ? undefined : `${address} is not allowed`),
})

async function withDns(
  table: DnsServer['table'],
  body: (dns: DnsServer, options: Partial<WebOptions>) => Promise<void>,
): Promise<void> {
  const dns = await new DnsServer(table).listen()
  try {
    await body(dns, { names: { servers: [dns.server], tryMsMax: 20_000, tries: 1 } })
  } finally {
    await dns.close()
  }
}

test('a literal is put to the rule in every spelling, and not connected to when refused', () =>
  withHostileOrigin((origin) =>
    withWeb(async ({ web }) => {
      for (const host of [
        '127.0.0.1',
        '127.1',
        '0x7f000001',
        '2130706433',
        '017700000001',
        '[::ffff:127.0.0.1]',
      ]) {
        const failure = await failureOf(web, origin.url('ok', host), { allow: only('10.0.0.1') })
        assert.deepEqual([failure.code, failure.retry], ['address-forbidden', 'never'], host)
      }
      assert.equal(origin.connections, 0)
    }),
  ))

test('localhost is loopback without asking anyone, and put to the rule too', () =>
  withHostileOrigin((origin) =>
    withDns({}, (dns, options) =>
      withWeb(async ({ web }) => {
        const response = await responseTo(web, origin.url('ok', 'localhost'), { allow: only('127.0.0.1') })
        assert.equal(response.address, '127.0.0.1')
        const failure = await failureOf(web, origin.url('ok', 'a.localhost'), { allow: only('10.0.0.1') })
        assert.equal(failure.code, 'address-forbidden')
        assert.deepEqual(dns.questions, [])
      }, options),
    ),
  ))

test('a name goes to the address that DNS tells and the rule lets through; Host says the name', () =>
  withHostileOrigin((origin) =>
    withDns({ 'site.test': ['10.9.9.9', '127.0.0.1', '::1'] }, (_, options) =>
      withWeb(async ({ web }) => {
        const asked: string[] = []
        const allow = {
          refusal: (address: string) => {
            asked.push(address)
            return only('127.0.0.1').refusal(address)
          },
        }
        const { address } = await responseTo(web, origin.url('ok', 'site.test'), { allow })
        assert.equal(address, '127.0.0.1')
        assert.deepEqual(asked, ['10.9.9.9', '127.0.0.1', '::1'])
        assert.match(origin.requests[0]!, /\r\nhost: site\.test:\d+\r\n/)
      }, options),
    ),
  ))

test('a name all of whose addresses are refused is not connected to', () =>
  withHostileOrigin((origin) =>
    withDns({ 'site.test': ['127.0.0.1', '::1'] }, (_, options) =>
      withWeb(async ({ web }) => {
        const failure = await failureOf(web, origin.url('ok', 'site.test'), { allow: only('10.0.0.1') })
        assert.equal(failure.code, 'address-forbidden')
        assert.equal(failure.reason, 'site.test: 127.0.0.1 is not allowed; ::1 is not allowed')
        assert.equal(origin.connections, 0)
      }, options),
    ),
  ))

test('a name that is bound to another address later does not get there', () =>
  withHostileOrigin((origin) =>
    withDns({ 'site.test': ['127.0.0.1'] }, (dns, options) =>
      withWeb(
        async ({ web, clock }) => {
          const allow = only('127.0.0.1')
          await responseTo(web, origin.url('ok-closing', 'site.test'), { allow })
          dns.table['site.test'] = ['127.0.0.2']
          await clock.sleep(20)
          const failure = await failureOf(web, origin.url('ok', 'site.test'), { allow })
          assert.equal(failure.code, 'address-forbidden')
          assert.equal(origin.connections, 1)
        },
        { names: { ...options.names, keptMsMin: 0, keptMsMax: 1 } },
      ),
    ),
  ))

test('a connection that one rule let through does not serve a request whose rule does not', () =>
  withHostileOrigin((origin) =>
    withWeb(async ({ web }) => {
      await responseTo(web, origin.url('ok'), { allow: only('127.0.0.1') })
      const failure = await failureOf(web, origin.url('ok'), { allow: only('10.0.0.1') })
      assert.equal(failure.code, 'address-forbidden')
      await responseTo(web, origin.url('ok'), { allow: only('127.0.0.1') })
      assert.equal(origin.connections, 1)
      assert.equal(origin.requests.length, 2)
    }),
  ))

test('when one address does not answer, the next is tried', () =>
  withHostileOrigin((origin) =>
    withDns(
      { 'site.test': ['127.0.0.2', '127.0.0.1'], 'down.test': ['127.0.0.2', '127.0.0.3'] },
      (_, options) =>
        withWeb(async ({ web }) => {
          const response = await responseTo(web, origin.url('ok', 'site.test'))
          assert.equal(response.address, '127.0.0.1')
          assert.equal((await bodyOf(response)).toString(), 'hello')
          assert.equal((await failureOf(web, origin.url('ok', 'down.test'))).code, 'connect-refused')
        }, options),
    ),
  ))

test('what DNS cannot tell has a name, and a hint whether to ask again', () =>
  withDns({ 'broken.test': 'servfail', 'empty.test': [] }, (_, options) =>
    withWeb(async ({ web }) => {
      for (const [host, code, retry] of [
        ['unknown.test', 'dns-not-found', 'never'],
        ['empty.test', 'dns-not-found', 'never'],
        ['broken.test', 'dns-failed', 'later'],
      ] as const) {
        const failure = await failureOf(web, `http://${host}/`)
        assert.deepEqual([failure.code, failure.retry], [code, retry], host)
      }
    }, options),
  ))

test('a name server that is silent may be asked again', () =>
  withDns({ 'silent.test': 'silence' }, (_, { names }) =>
    withWeb(
      async ({ web }) => {
        const failure = await failureOf(web, 'http://silent.test/')
        assert.deepEqual([failure.code, failure.retry], ['dns-failed', 'later'])
      },
      { names: { ...names, tryMsMax: 100 } },
    ),
  ))

test('a server that does not answer for IPv6 does not hold up IPv4', () =>
  withHostileOrigin((origin) =>
    withDns({ 'site.test': ['127.0.0.1'] }, (dns) =>
      withWeb(
        async ({ web }) => {
          // c-ares itself gives up after five seconds at the earliest.
          dns.ipv4Only.add('site.test')
          await responseTo(web, origin.url('ok', 'site.test'), {
            limits: { ...wideLimits, totalMsMax: 4_000 },
          })
        },
        { names: { servers: [dns.server], tryMsMax: 30_000, tries: 1 } },
      ),
    ),
  ))

test('answers are kept for as long as they are valid, within bounds, and asked for once by many', () =>
  withDns({ 'a.test': ['10.0.0.1', '2001:db8::1'], 'b.test': ['10.0.0.2'] }, async (dns) => {
    let nowMs = 0
    const clock = Object.assign(Object.create(new RealClock()) as RealClock, { monotonicMs: () => nowMs })
    const limits = { servers: [dns.server], keptMsMin: 10_000, keptMsMax: 100_000, keptMax: 2 }
    const names = new Names({ clock }, limits)
    const asked = async (host: string): Promise<number> => {
      const before = dns.questions.length
      await Promise.all([names.resolve(host), names.resolve(host)])
      return dns.questions.length - before
    }
    assert.deepEqual(await names.resolve('a.test'), ['10.0.0.1', '2001:db8::1'])
    nowMs += 59_999
    assert.equal(await asked('a.test'), 0)
    nowMs += 1
    assert.equal(await asked('a.test'), 2)
    dns.ttlSeconds = 1
    nowMs += 60_000
    assert.equal(await asked('a.test'), 2)
    nowMs += 9_999
    assert.equal(await asked('a.test'), 0, 'shorter than the least')
    dns.ttlSeconds = 1_000_000
    nowMs += 1
    await asked('a.test')
    nowMs += 100_000
    assert.equal(await asked('a.test'), 2, 'longer than the most')
    assert.equal(await asked('nowhere.test'), 2)
    nowMs += 10_000
    assert.equal(await asked('nowhere.test'), 2, 'what is not found is asked for again')
    assert.equal(await asked('b.test'), 2)
    assert.equal(await asked('a.test'), 2, 'the one unused for longest was forgotten')
    names.close()
  }))

test('names that only the system knows are all found, however many are asked for at once', () =>
  withDns({}, async (_dns, { names: options }) => {
    let atOnce = 0
    let atOnceMax = 0
    const systemLookup = async (host: string): Promise<string[]> => {
      atOnceMax = Math.max(atOnceMax, ++atOnce)
      await new Promise(setImmediate)
      atOnce--
      if (host === 'nowhere.home') throw new Error('not found')
      return ['192.168.1.7']
    }
    const names = new Names({ clock: new RealClock(), systemLookup }, options)
    const hosts = Array.from({ length: 5 * systemLookupsMax }, (_, index) => `printer-${index}.home`)
    const answers = await Promise.all(['nowhere.home', ...hosts].map((host) => names.resolve(host)))
    names.close()
    assert.deepEqual(
      answers.slice(1),
      hosts.map(() => ['192.168.1.7']),
    )
    assert.equal((answers[0] as { code?: string }).code, 'dns-not-found')
    assert.equal(atOnceMax, systemLookupsMax)
  }))
