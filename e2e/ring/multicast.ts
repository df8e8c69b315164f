// Whether processes on this machine hear each other by multicast, without which nobody is found on the local network.

import { createSocket, type Socket } from 'node:dgram'

/** The group of multicast DNS, on a port of our own. */
const group = '224.0.0.251'
const heardMsMax = 3_000

/** Why not; undefined when they do. */
export async function multicastProblem(): Promise<string | undefined> {
  const receiver = createSocket({ type: 'udp4', reuseAddr: true })
  const sender = createSocket('udp4')
  try {
    await bound(receiver)
    receiver.addMembership(group)
    const heard = new Promise<undefined>((resolve) => receiver.once('message', () => resolve(undefined)))
    const notHeard = new Promise<string>((resolve) => {
      setTimeout(() => resolve('what is sent to a multicast group does not come back'), heardMsMax).unref()
    })
    const { port } = receiver.address()
    await new Promise<void>((resolve, reject) =>
      sender.send('anybody there?', port, group, (error) => (error ? reject(error) : resolve())),
    )
    return await Promise.race([heard, notHeard])
  } catch (error) {
    return (error as Error).message
  } finally {
    receiver.close()
    sender.close()
  }
}

function bound(socket: Socket): Promise<void> {
  return new Promise((resolve, reject) => {
    socket.once('error', reject)
    socket.bind(0, () => resolve())
  })
}
