import assert from 'node:assert/strict'
import { test } from 'vitest'
import { agreedPlaces, testimonyOf } from './testimony.ts'

const asked = [7071, 7072]
const seenAt = (witness: string, host: string, ports: number[]) =>
  testimonyOf(`${witness}/tcp/7071`, { seen: `${host}/tcp/50000`, ports }, asked)
const [far, further, furthest, near] = ['192.0.2.1', '192.0.2.2', '192.0.2.3', '192.168.1.9'].map(
  (host) => `/ip4/${host}`,
) as [string, string, string, string]
const [own, atHome, victim] = ['/ip4/203.0.113.7', '/ip4/192.168.1.2', '/ip4/198.51.100.80'] as const

test('one that says that it reached us at a stranger’s is outvoted by those who saw where we are', () => {
  const heard = [
    seenAt(far, victim, [7071]),
    seenAt(further, own, [7071]),
    seenAt(furthest, own, [7071]),
    seenAt(near, atHome, [7072]),
  ]
  assert.deepEqual(agreedPlaces(heard), [`${own}/tcp/7071`, `${atHome}/tcp/7072`])
})

test('witnesses that did not reach us say where we are, too', () => {
  const heard = [seenAt(far, victim, [7071]), seenAt(further, own, []), seenAt(furthest, own, [])]
  assert.deepEqual(agreedPlaces(heard), [])
})

test('the only one of its kind is believed', () => {
  const heard = [seenAt(far, own, [7071]), seenAt(near, atHome, [7071])]
  assert.deepEqual(agreedPlaces(heard), [`${own}/tcp/7071`, `${atHome}/tcp/7071`])
})

test('nobody was reached at ports that were not asked for, on this machine, or by another protocol', () => {
  const heard = [
    seenAt(far, victim, [22, 80]),
    seenAt(near, '/ip4/127.0.0.1', [7071]),
    seenAt('/ip4/10.0.0.1', '/ip6/2001:db8::1', [7071]),
    seenAt('/ip6/2001:db8::2', '/dns4/localhost', [7071]),
  ]
  assert.deepEqual(agreedPlaces(heard), [])
})
