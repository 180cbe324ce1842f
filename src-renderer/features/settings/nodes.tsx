import {
  Anchor,
  Box,
  Button,
  Group,
  Menu,
  Modal,
  NativeSelect,
  NumberInput,
  PasswordInput,
  Progress,
  Stack,
  Switch,
  Text,
  Textarea,
  TextInput,
} from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import { useChange } from '../../api/changes.ts';
import { errorsByField, owner } from '../../api/client.ts';
import type { BrokerLogin, FleetChange, FleetNode, FleetView, NodeCopy } from '../../api/generated/owner.ts';
import { fleetQuery, modelsQuery } from '../../api/queries.ts';
import { Code } from '../../components/code.tsx';
import { askFirst } from '../../components/confirm.tsx';
import { formatByteCount, formatWholeNumber, joinTexts } from '../../components/format.ts';
import { Icon } from '../../components/icon.tsx';
import { Empty, Failure, Panel, Skeletons, Time } from '../../components/page-elements.tsx';
import { State } from '../../components/state.tsx';
import { showToast } from '../../components/toast.tsx';
import { texts } from '../../texts.ts';
import { nodes as t } from './node-texts.ts';

const RENEWS = [fleetQuery().queryKey];

/** Other machines that run jobs of this one: the switch, the addresses, and each node. */
export function Nodes(): ReactNode {
  const fleet = useQuery(fleetQuery());
  return (
    <Panel title={t.title} about={t.about} aside={fleet.data?.choices.enabled && <AddNode />}>
      {fleet.isPending && <Skeletons rows={2} />}
      {fleet.isError && <Failure error={fleet.error} retry={() => void fleet.refetch()} />}
      {fleet.data && <Fleet fleet={fleet.data} />}
    </Panel>
  );
}

function Fleet({ fleet }: { fleet: FleetView }) {
  const { choices, state, error, brokerConfig, nodes } = fleet;
  const change = useChange((body: FleetChange) => owner.PATCH('/admin/fleet', { body }), {
    renews: RENEWS,
    showsError: true,
    onDone: () => showToast({ message: t.saved }),
  });
  return (
    <Stack gap="md">
      <Switch
        label={t.on}
        description={choices.enabled ? undefined : t.off}
        checked={choices.enabled}
        disabled={change.isPending}
        onChange={(event) => change.mutate({ enabled: event.currentTarget.checked })}
      />
      <Addresses
        choices={choices}
        login={fleet.brokerLogin}
        refused={errorsByField(change.error)}
        onSave={(body) => change.mutate(body)}
      />
      {change.isError && <Failure error={change.error} />}
      {state === 'starting' && (
        <Text size="sm" role="status">
          {t.starting}
        </Text>
      )}
      {error !== null && (
        <Text size="sm" c="red" role="alert">
          {error}
        </Text>
      )}
      {brokerConfig !== null && <Code value={brokerConfig} label={t.brokerConfig} />}
      {choices.enabled && nodes.length === 0 && (
        <Empty icon="cpu" title={t.none}>
          {t.noneHow}
        </Empty>
      )}
      {nodes.length > 0 && (
        <Stack gap="md" component="ul" className="plain-list">
          {nodes.map((node) => (
            <NodeRow key={node.nodeId} node={node} />
          ))}
        </Stack>
      )}
    </Stack>
  );
}

/** Hints below, so that inputs beside each other are level. */
const BELOW: ('label' | 'input' | 'description' | 'error')[] = ['label', 'input', 'description', 'error'];

interface AddressesProps {
  choices: FleetView['choices'];
  login: FleetView['brokerLogin'];
  refused: Record<string, string>;
  onSave: (change: FleetChange) => void;
}

function Addresses({ choices, login, refused, onSave }: AddressesProps) {
  const [host, setHost] = useState(choices.host);
  const [port, setPort] = useState<number | string>(choices.port);
  const [brokerPort, setBrokerPort] = useState<number | string>(choices.brokerPort);
  const [brokerUrl, setBrokerUrl] = useState(choices.brokerUrl ?? '');
  const [localSlots, setLocalSlots] = useState<number | string>(choices.localSlots ?? '');
  const [ownBroker, setOwnBroker] = useState<Pick<FleetChange, 'brokerCa' | 'brokerLogin'>>({});
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        const own = brokerUrl.trim();
        onSave({
          host: host.trim(),
          port: Number(port),
          brokerPort: Number(brokerPort),
          brokerUrl: own === '' ? null : own,
          localSlots: localSlots === '' ? null : Number(localSlots),
          ...(own === '' ? {} : ownBroker),
        });
      }}
    >
      <Stack gap="sm">
        <Group grow align="flex-start">
          <TextInput
            label={t.host}
            description={t.hostHint}
            inputWrapperOrder={BELOW}
            value={host}
            error={refused.host}
            onChange={(event) => setHost(event.currentTarget.value)}
          />
          <TextInput
            label={t.brokerUrl}
            description={t.brokerUrlHint}
            inputWrapperOrder={BELOW}
            value={brokerUrl}
            error={refused.brokerUrl}
            onChange={(event) => setBrokerUrl(event.currentTarget.value)}
          />
        </Group>
        {brokerUrl.trim() !== '' && (
          <OwnBroker
            ca={choices.brokerCa ?? ''}
            login={login}
            refused={refused}
            onChange={(change) => setOwnBroker((before) => ({ ...before, ...change }))}
          />
        )}
        <Ports {...{ port, setPort, brokerPort, setBrokerPort, refused }} />
        <NumberInput
          label={t.localSlots}
          description={t.localSlotsHint}
          inputWrapperOrder={BELOW}
          placeholder={t.automatic}
          value={localSlots}
          error={refused.localSlots}
          onChange={setLocalSlots}
          min={0}
          allowDecimal={false}
        />
        <Group justify="flex-end">
          <Button type="submit" size="xs" variant="default">
            {t.save}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}

interface PortsProps {
  port: number | string;
  setPort: (port: number | string) => void;
  brokerPort: number | string;
  setBrokerPort: (port: number | string) => void;
  refused: Record<string, string>;
}

function Ports({ port, setPort, brokerPort, setBrokerPort, refused }: PortsProps) {
  return (
    <Group grow align="flex-start">
      <NumberInput label={t.port} value={port} error={refused.port} onChange={setPort} allowDecimal={false} />
      <NumberInput
        label={t.brokerPort}
        value={brokerPort}
        error={refused.brokerPort}
        onChange={setBrokerPort}
        allowDecimal={false}
      />
    </Group>
  );
}

interface OwnBrokerProps {
  ca: string;
  login: FleetView['brokerLogin'];
  refused: Record<string, string>;
  onChange: (change: Pick<FleetChange, 'brokerCa' | 'brokerLogin'>) => void;
}

/** How to know the owner's broker, and to log in to it. A kept login is not shown, and sent only when changed. */
function OwnBroker({ ca: known, login, refused, onChange }: OwnBrokerProps) {
  const [ca, setCa] = useState(known);
  const [kind, setKind] = useState(login);
  const [typed, setTyped] = useState({ user: '', password: '', creds: '' });
  const putBrokerLogin = (next: typeof kind, fields: typeof typed) => {
    setKind(next);
    setTyped(fields);
    const { user, password, creds } = fields;
    const isTyped = next === 'creds' ? creds !== '' : user !== '' || password !== '';
    const made: BrokerLogin = next === 'creds' ? { kind: next, creds } : { kind: 'password', user, password };
    if (next === 'nkeys') onChange({ brokerLogin: null });
    else if (isTyped) onChange({ brokerLogin: made });
  };
  const placeholder = kind === login ? t.kept : undefined;
  return (
    <>
      <NativeSelect
        label={t.login}
        value={kind}
        data={(['nkeys', 'password', 'creds'] as const).map((value) => ({ value, label: t.logins[value] }))}
        onChange={(event) => putBrokerLogin(event.currentTarget.value as typeof kind, typed)}
      />
      {kind === 'password' && (
        <Group grow align="flex-start">
          <TextInput
            label={t.user}
            value={typed.user}
            placeholder={placeholder}
            error={refused['brokerLogin.user']}
            onChange={(event) => putBrokerLogin(kind, { ...typed, user: event.currentTarget.value })}
          />
          <PasswordInput
            label={t.password}
            value={typed.password}
            placeholder={placeholder}
            error={refused['brokerLogin.password']}
            autoComplete="off"
            onChange={(event) => putBrokerLogin(kind, { ...typed, password: event.currentTarget.value })}
          />
        </Group>
      )}
      {kind === 'creds' && (
        <Textarea
          label={t.creds}
          value={typed.creds}
          placeholder={placeholder}
          error={refused['brokerLogin.creds']}
          rows={3}
          onChange={(event) => putBrokerLogin(kind, { ...typed, creds: event.currentTarget.value })}
        />
      )}
      <Textarea
        label={t.brokerCa}
        description={t.brokerCaHint}
        inputWrapperOrder={BELOW}
        value={ca}
        error={refused.brokerCa}
        rows={3}
        onChange={(event) => {
          const text = event.currentTarget.value;
          setCa(text);
          onChange({ brokerCa: text.trim() === '' ? null : text });
        }}
      />
    </>
  );
}

const TONES = { waiting: 'idle', online: 'good', offline: 'bad', refused: 'bad', contested: 'bad' } as const;

function NodeRow({ node }: { node: FleetNode }) {
  const { nodeId, name, status, draining, copies } = node;
  const path = { params: { path: { nodeId } } };
  const drain = useChange(
    () => owner.PATCH('/admin/fleet/nodes/{nodeId}', { ...path, body: { draining: !draining } }),
    { renews: RENEWS },
  );
  const remove = useChange(() => owner.DELETE('/admin/fleet/nodes/{nodeId}', path), {
    renews: RENEWS,
    onDone: () => showToast({ message: t.removed({ name }) }),
  });
  const confirmNodeRemoval = () =>
    askFirst({
      title: t.removeTitle({ name }),
      about: t.removeAbout,
      yes: t.remove,
      no: texts.common.cancel,
      onYes: () => remove.mutate(),
    });
  const drainLabel = draining ? t.undrain : t.drain;
  return (
    <Group component="li" justify="space-between" align="flex-start" gap="sm">
      {/* On a phone the buttons are below. */}
      <Box flex="1 1 16rem">
        <Group gap="xs">
          <Text fw={550} className="break">
            {name}
          </Text>
          <State tone={TONES[status]}>{t.status[status]}</State>
          {draining && <State tone="warn">{t.draining}</State>}
        </Group>
        <NodeFacts node={node} />
        {copies.map((copy) => (
          <Copying key={copy.model} nodeId={nodeId} copy={copy} />
        ))}
      </Box>
      <Group gap="xs" wrap="nowrap" flex="none">
        {status !== 'waiting' && <CopyMenu node={node} />}
        {status !== 'waiting' && (
          <Button
            size="compact-sm"
            variant="default"
            aria-label={t.of({ action: drainLabel, name })}
            loading={drain.isPending}
            onClick={() => drain.mutate()}
          >
            {drainLabel}
          </Button>
        )}
        <Button
          size="compact-sm"
          variant="default"
          aria-label={t.of({ action: t.remove, name })}
          loading={remove.isPending}
          onClick={confirmNodeRemoval}
        >
          {t.remove}
        </Button>
      </Group>
    </Group>
  );
}

function NodeFacts({ node }: { node: FleetNode }) {
  const { status, version, cores, gpu, busy, slots, lightBusy, lightSlots, models, lastSeenAt } = node;
  const { name, browsers, browsersTaken } = node;
  const taken = {
    busy: formatWholeNumber(busy),
    slots: formatWholeNumber(slots),
    lightBusy: formatWholeNumber(lightBusy),
    lightSlots: formatWholeNumber(lightSlots),
  };
  return (
    <>
      {version !== null && cores !== null && (
        <Text size="sm">
          {t.facts({ version, cores })}
          {slots > 0 && ` · ${t.slots(taken)}`}
        </Text>
      )}
      {browsers > 0 && (
        <Text size="sm">
          {t.browsers({ taken: formatWholeNumber(browsersTaken), all: formatWholeNumber(browsers) })}
        </Text>
      )}
      {gpu !== null && <Text size="sm">{t.gpu({ name: gpu })}</Text>}
      <Text size="xs" c="dimmed" className="break">
        {cores !== null &&
          (models.length === 0 ? t.noModels : t.models({ names: joinTexts(models.map((model) => model.name)) }))}
        {status === 'offline' && lastSeenAt !== null && (
          <>
            {' '}
            {t.lastSeen} <Time at={lastSeenAt} />
          </>
        )}
      </Text>
      {cores !== null && (
        <Anchor
          size="sm"
          aria-label={t.jobsOf({ node: name })}
          renderRoot={(props) => <Link {...props} to="/jobs" search={{ text: name }} />}
        >
          {t.jobs}
        </Anchor>
      )}
    </>
  );
}

const nodeModelParams = (nodeId: string, name: string) => ({ params: { path: { nodeId, name } } });

/** The models of this machine that the node does not have. */
function CopyMenu({ node: { nodeId, name, models, copies } }: { node: FleetNode }) {
  const [opened, setOpened] = useState(false);
  const { data } = useQuery({ ...modelsQuery(), enabled: opened });
  const copy = useChange(
    (model: string) => owner.PUT('/admin/fleet/nodes/{nodeId}/models/{name}', nodeModelParams(nodeId, model)),
    {
      renews: RENEWS,
    },
  );
  const there = new Set([...models.map((model) => model.name), ...copies.map(({ model }) => model)]);
  const offered = (data?.models ?? []).filter((model) => model.installed && !there.has(model.name));
  return (
    <Menu position="bottom-end" opened={opened} onChange={setOpened}>
      <Menu.Target>
        <Button
          size="compact-sm"
          variant="default"
          aria-label={t.copyTo({ node: name })}
          loading={copy.isPending}
          rightSection={<Icon name="chevron-down" size={14} />}
        >
          {t.copy}
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        {data !== undefined && offered.length === 0 && <Menu.Label>{t.nothingToCopy}</Menu.Label>}
        {offered.map((model) => (
          <Menu.Item
            key={model.name}
            rightSection={<span className="dim num">{formatByteCount(model.sizeBytes)}</span>}
            onClick={() => copy.mutate(model.name)}
          >
            {model.title}
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  );
}

/** A model on its way to the node, or why it did not arrive. */
function Copying({
  nodeId,
  copy: { model, state, receivedBytes, totalBytes, error },
}: {
  nodeId: string;
  copy: NodeCopy;
}) {
  const path = nodeModelParams(nodeId, model);
  const stop = useChange(() => owner.DELETE('/admin/fleet/nodes/{nodeId}/models/{name}', path), { renews: RENEWS });
  const again = useChange(() => owner.PUT('/admin/fleet/nodes/{nodeId}/models/{name}', path), { renews: RENEWS });
  const title = t.copying({ model, state: t.copyStates[state] });
  const failed = state === 'failed';
  return (
    <Stack gap={4} mt="xs">
      <Group gap="xs">
        <Text size="sm" className="break" role="status">
          {title}
        </Text>
        {totalBytes > 0 && (
          <Text size="xs" c="dimmed" className="num">
            {t.received({ got: formatByteCount(receivedBytes), all: formatByteCount(totalBytes) })}
          </Text>
        )}
        {failed && (
          <Button size="compact-xs" variant="default" loading={again.isPending} onClick={() => again.mutate()}>
            {t.again}
          </Button>
        )}
        <Button
          size="compact-xs"
          variant="default"
          aria-label={t.of({ action: failed ? t.dropCopy : t.cancelCopy, name: model })}
          loading={stop.isPending}
          onClick={() => stop.mutate()}
        >
          {failed ? t.dropCopy : t.cancelCopy}
        </Button>
      </Group>
      {failed ? (
        <Text size="xs" c="red" className="break">
          {error}
        </Text>
      ) : (
        <Progress value={(100 * receivedBytes) / Math.max(1, totalBytes)} aria-label={title} />
      )}
    </Stack>
  );
}

/** The button Add a node and its dialog, which ends with the command for the other machine. */
function AddNode(): ReactNode {
  const [opened, { open, close }] = useDisclosure();
  const [join, setJoin] = useState<string | null>(null);
  const startNodeJoin = () => {
    setJoin(null);
    open();
  };
  return (
    <>
      <Button size="xs" mt={6} variant="default" leftSection={<Icon name="plus" size={14} />} onClick={startNodeJoin}>
        {t.add}
      </Button>
      {/* The command is not shown again, so only a button closes it. */}
      <Modal
        opened={opened}
        onClose={close}
        title={t.add}
        size="lg"
        closeOnClickOutside={false}
        closeOnEscape={join === null}
      >
        {join === null ? (
          <NodeForm onMade={setJoin} onClose={close} />
        ) : (
          <Stack>
            <Text size="sm" role="status">
              {t.shownOnce}
            </Text>
            <Code value={t.command({ join })} label={t.commandName} />
            <Group justify="flex-end">
              <Button autoFocus onClick={close}>
                {t.close}
              </Button>
            </Group>
          </Stack>
        )}
      </Modal>
    </>
  );
}

function NodeForm({ onMade, onClose }: { onMade: (join: string) => void; onClose: () => void }) {
  const [name, setName] = useState('');
  const make = useChange(() => owner.POST('/admin/fleet/nodes', { body: { name } }), {
    renews: RENEWS,
    showsError: true,
    onDone: (made) => made !== undefined && onMade(made.join),
  });
  const refused = errorsByField(make.error);
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        make.mutate();
      }}
    >
      <Stack>
        <TextInput
          label={t.name}
          description={t.nameHint}
          required
          value={name}
          error={refused.name}
          onChange={(event) => setName(event.currentTarget.value)}
          data-autofocus
        />
        {make.isError && refused.name === undefined && <Failure error={make.error} />}
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose}>
            {texts.common.cancel}
          </Button>
          <Button type="submit" loading={make.isPending}>
            {t.make}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
