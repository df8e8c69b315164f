// `peer`, `ring`, `status`, `lookup` and `network`: a running archive, alone and with others.

import { type Command, Option } from 'commander'
import { agentName, nonNegativeNumber, positiveNumber } from '../input/option-values.ts'
import type { Perform } from '../program.ts'
import { collect, concurrencyDefault } from './shared-options.ts'

export function addPeerCommand(program: Command, perform: Perform): void {
  program
    .command('peer')
    .description('serve the archive until stopped; finish interrupted crawls, and keep fresh what it knows')
    .option('--http <host:port>', 'where to answer (default: localhost:7070)')
    .option('--open', 'open the archive in your browser, as its owner')
    .option('--listen <place>', 'where other peers reach this one: a port, or ADDRESS:PORT (default: 7071)')
    .option(
      '--join <address>',
      'a peer to begin with: HOST:PORT, a name with dnsaddr entries, or a multiaddress (repeatable)',
      collect,
    )
    .option(
      '--invite <invitation>',
      'join the network of this invitation; @FILE or - reads it from a file or standard input, which the process list does not show',
    )
    .addOption(
      new Option('--positions <count>', 'positions on the ring, 1 to 16 (default: by --share)').conflicts(
        'share',
      ),
    )
    .option(
      '--share <size>',
      'disk to give to the network: each 100GB are a position, up to 16 (default: 100GB)',
    )
    .option(
      '--copies <count>',
      'peers that keep each thing, 1 to 16; the same for all peers of a network (default: 3)',
    )
    .option(
      '--fresh <span>',
      'visit pages at least this often, if politeness has room: 1d, 1h-7d, or example.com=6h (repeatable)',
      collect,
    )
    .option('--delay <ms>', 'pause after each response of a host', nonNegativeNumber)
    .option('--concurrency <count>', 'hosts asked at once', positiveNumber, concurrencyDefault)
    .option('--user-agent <name>', 'how to introduce ourselves', agentName)
    .option('--allow-address <cidr>', 'crawl this special range too (repeatable)', collect)
    .option('--insecure', 'take certificates that cannot be verified, and note it in the archive')
    .option('--ignore-robots', 'do not ask robots.txt nor obey noarchive and nofollow: for your own sites')
    .action(perform(async () => (await import('../commands/network/peer.ts')).runPeer))

  program
    .command('link')
    .description('print a link that makes the browser that opens it the owner’s, once and within an hour')
    .option('--open', 'open it in your browser')
    .option('--revoke', 'take the owner’s rights from all browsers, and from links not yet used')
    .action(perform(async () => (await import('../commands/network/link.ts')).ownerLink))
}

export function addRingCommands(program: Command, perform: Perform): void {
  program
    .command('ring')
    .description(
      'draw the ring as the running peer of this home knows it: positions, arcs, peers, round trips',
    )
    .action(perform(async () => (await import('../commands/network/ring.ts')).showRing))

  program
    .command('status')
    .description('how the archive and its network do: peers, copies, repair, links on their way, disk')
    .action(perform(async () => (await import('../commands/network/status.ts')).showStatus))

  program
    .command('volunteer')
    .description(
      'lend this machine’s line to a network: fetch pages for its peers, keep nothing; in a sandbox of its own (docs/volunteers.md)',
    )
    .option(
      '--invite <invitation>',
      'of the network: the text, @FILE, or - for the input; kept for next time',
    )
    .option('--join <address...>', 'where its peers are, such as example.org:7071')
    .option(
      '--allow-address <range...>',
      'private addresses that it may connect to, such as 192.168.1.0/24; none unless told',
    )
    .option('--cpu <share>', 'of one core, such as 20%')
    .option('--up <rate>', 'bytes a second to the network, such as 500kB')
    .option('--down <rate>', 'bytes a second from the web, such as 2MB')
    .option('--hours <from-to>', 'of the day, such as 22-6')
    .option('--metered', 'this line is paid by the byte: pause until told otherwise on its page')
    .option('--no-battery', 'go on when the machine runs on its battery')
    .option('--no-busy', 'go on when the machine is busy with other things')
    .option('--insecure', 'take certificates that cannot be verified')
    .option('--bundles <n>', 'at once (default: 4)')
    .option('--page <port>', 'of its page on this machine (default: any that is free)')
    .option(
      '--update',
      'install later versions that the network’s key has signed, by npm and into this home, and go on with them (default: only tell of them)',
    )
    .action(perform(async () => (await import('../commands/network/volunteer.ts')).runVolunteer))

  program
    .command('lookup')
    .description('ask the running peer of this home who owns a key or a URL, and who keeps copies')
    .argument('<key|url>', 'a ring key of 40 hex digits, or a URL')
    .action(perform(async () => (await import('../commands/network/lookup.ts')).lookUp))

  program
    .command('reload')
    .description(
      'have the running peer read its settings again, as SIGHUP does: those that can change while it runs do, the others are named',
    )
    .action(perform(async () => (await import('../commands/network/reload.ts')).reloadSettings))

  const network = program
    .command('network')
    .description('the network that this home belongs to: make one, invite others, leave, forget who is dead')
    .action(perform(async () => (await import('../commands/network/network.ts')).showNetwork))

  network
    .command('create')
    .description('make a network, with this home as its first peer, and print an invitation')
    .argument('<name>')
    .option('--open', 'let everybody in who knows of it, without an invitation')
    .action(perform(async () => (await import('../commands/network/network.ts')).createNetwork))

  network
    .command('invite')
    .description('print an invitation for other homes: polyhistor peer --invite @FILE')
    .option('--uses <n>', 'good for so many members, 1 to 1000 (default: 1)')
    .option('--role <role>', 'what they are: admin, curator, member or volunteer (default: member)')
    .option(
      '--site <site...>',
      'of a curator: the sites that it may set rules for and take down (default: all)',
    )
    .option(
      '--until <time>',
      'not to be used later than this: a date, a time such as 2031-01-31T12:00Z, or a while such as 7d (default: never)',
    )
    .option('--expires <time>', 'the same as --until, for a while such as 7d')
    .option(
      '--probation <time>',
      'members prove themselves for so long, such as 7d, before they get places on the ring (default: network.probation)',
    )
    .option('--trusted', 'members get their places at once')
    .action(perform(async () => (await import('../commands/network/network.ts')).inviteOthers))

  network
    .command('release')
    .description(
      'which version of the program the network runs; with a version, where the network was made: says so, for volunteers to hear and to update by',
    )
    .argument('[version]', 'such as 1.2.3')
    .argument(
      '[integrity]',
      'of its package: sha512-…, as `npm view polyhistor@VERSION dist.integrity` prints it',
    )
    .action(perform(async () => (await import('../commands/network/release.ts')).nameRelease))

  network
    .command('roles')
    .description('who is administrator, curator, member or volunteer, and who was revoked')
    .action(perform(async () => (await import('../commands/network/roles.ts')).showRoles))

  network
    .command('grant')
    .description('give a peer a role: admin, curator, member or volunteer')
    .argument('<peer>', 'its id, or the end of it')
    .argument('<role>')
    .option(
      '--site <site...>',
      'of a curator: the sites that it may set rules for and take down (default: all)',
    )
    .option('--replaces <peer>', 'it takes the place of this one, which is revoked')
    .option('--reason <text>', 'why, for the record')
    .action(perform(async () => (await import('../commands/network/roles.ts')).grantRole))

  network
    .command('revoke')
    .description(
      'take a role away: an administrator or curator becomes a member, a member or volunteer is out at once, everywhere',
    )
    .argument('<peer>', 'its id, or the end of it')
    .argument('[role]', 'the role to take away; without it the peer is out')
    .option(
      '--undo',
      'nothing that it has said counts any more; takedowns and rules that are known do otherwise',
    )
    .option('--invitation', 'its invitation lets nobody in any more')
    .option('--reason <text>', 'why, for the record')
    .action(perform(async () => (await import('../commands/network/roles.ts')).revokeRole))

  network
    .command('approve')
    .description('sign what another administrator has said and what takes several')
    .argument('<id>', 'as `network roles` lists it')
    .action(perform(async () => (await import('../commands/network/roles.ts')).approveStatement))

  network
    .command('settings')
    .description('what holds for the whole network; without options, show it')
    .option(
      '--threshold <n>',
      'administrators that it takes to name or remove one; said with the network’s key',
    )
    .option('--takedown-signatures <n>', 'curators or administrators that a takedown takes')
    .option('--takedown-delay <time>', 'how long a takedown waits for administrators who object, such as 2d')
    .option('--job-pages <n>', 'largest jobs that members may begin; 0: any')
    .action(perform(async () => (await import('../commands/network/roles.ts')).setNetwork))

  network
    .command('announcements')
    .description(
      'roles, takedowns and rules as they were said to all peers: who, when, and whether they count',
    )
    .action(perform(async () => (await import('../commands/network/roles.ts')).showAnnouncements))

  network
    .command('leave')
    .description(
      'hand everything over to the other peers, leave the network for good, and stop the running peer',
    )
    .action(perform(async () => (await import('../commands/network/leave.ts')).leaveNetwork))

  network
    .command('forget')
    .description(
      'tell all peers that one that is away will not come back: what it kept is copied at once, not after days',
    )
    .argument('<peer>', 'its id, or the end of it as the status prints it')
    .action(perform(async () => (await import('../commands/network/forget.ts')).forgetPeer))
}
