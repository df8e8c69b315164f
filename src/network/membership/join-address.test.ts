import assert from 'node:assert/strict'
import { describe, test } from 'vitest'
import { addressesFoundMax, addressesOfName, parseJoinAddress } from './join-address.ts'

const peer = '12D3KooWBWVYnoTT5Cmk3nwLHV9Sm9BFFyj1qZTkj7eFBUn2MYaW'

describe('a join address', () => {
  test.each([
    ['192.0.2.1:7071', '/ip4/192.0.2.1/tcp/7071'],
    ['[2001:db8::1]:7071', '/ip6/2001:db8::1/tcp/7071'],
    ['archive.example.org:7071', '/dns/archive.example.org/tcp/7071'],
    ['localhost:1', '/dns/localhost/tcp/1'],
    [`/ip4/192.0.2.1/tcp/7071/p2p/${peer}`, `/ip4/192.0.2.1/tcp/7071/p2p/${peer}`],
    [' /dns4/a.example/tcp/1 ', '/dns4/a.example/tcp/1'],
  ])('%s', (text, address) => {
    assert.deepEqual(parseJoinAddress(text), { kind: 'address', address })
  })

  test.each([
    ['archive.example.org', 'archive.example.org', ''],
    ['/dnsaddr/archive.example.org', 'archive.example.org', ''],
    [`/dnsaddr/archive.example.org/p2p/${peer}`, 'archive.example.org', `/p2p/${peer}`],
  ])('%s is a name', (text, name, suffix) => {
    assert.deepEqual(parseJoinAddress(text), { kind: 'name', name, suffix })
  })

  test.each([
    '',
    'archive',
    '192.0.2.1',
    'a:b:c',
    'example.org:99999',
    '/ip4/1.2.3.4',
    '/unix/tmp',
    'http://example.org/',
    `/p2p/${peer}`,
  ])('%j is none', (text) => {
    assert.throws(() => parseJoinAddress(text), { code: 'network-address' })
  })
})

describe('the entries of a name', () => {
  const lookIn =
    (zone: Record<string, string[]>, asked: string[] = []) =>
    async (name: string): Promise<string[]> => {
      asked.push(name)
      return zone[name] ?? []
    }
  const named = (name: string, suffix = '') => ({ kind: 'name', name, suffix }) as const

  test('lead to addresses, through other names too; what is for others is passed over', async () => {
    const zone = {
      '_dnsaddr.example.org': [
        'dnsaddr=/dnsaddr/eu.example.org',
        'v=spf1 -all',
        'dnsaddr=/ip4/192.0.2.1/udp/1/quic',
      ],
      '_dnsaddr.eu.example.org': [
        `dnsaddr=/ip4/192.0.2.1/tcp/1/p2p/${peer}`,
        'dnsaddr=/ip6/2001:db8::1/tcp/2',
      ],
    }
    assert.deepEqual(await addressesOfName(named('example.org'), lookIn(zone)), [
      `/ip4/192.0.2.1/tcp/1/p2p/${peer}`,
      '/ip6/2001:db8::1/tcp/2',
    ])
    assert.deepEqual(await addressesOfName(named('eu.example.org', `/p2p/${peer}`), lookIn(zone)), [
      `/ip4/192.0.2.1/tcp/1/p2p/${peer}`,
    ])
    assert.deepEqual(await addressesOfName(named('nowhere.example'), lookIn(zone)), [])
  })

  test('that lead in circles, or to very many names and addresses, come to an end', async () => {
    const asked: string[] = []
    const circle = {
      '_dnsaddr.a.test': ['dnsaddr=/dnsaddr/b.test'],
      '_dnsaddr.b.test': ['dnsaddr=/dnsaddr/a.test'],
    }
    assert.deepEqual(await addressesOfName(named('a.test'), lookIn(circle, asked)), [])
    assert.equal(asked.length, 2)
    asked.length = 0
    const many = async (name: string): Promise<string[]> => {
      asked.push(name)
      const names = Array.from({ length: 50 }, (_, index) => `dnsaddr=/dnsaddr/x${index}${name.slice(9)}`)
      return [...names, ...Array.from({ length: 90 }, (_, index) => `dnsaddr=/ip4/10.0.0.${index}/tcp/1`)]
    }
    assert.equal((await addressesOfName(named('a.test'), many)).length, addressesFoundMax)
    assert.equal(asked.length, 16)
  })
})
