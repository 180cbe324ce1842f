import { Button, Grid, NumberInput, PasswordInput, Radio, Select, Stack, Switch, Text, TextInput } from '@mantine/core';
import { type QueryClient, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { adminPath, requestJson, useEnvironment } from '../../api/client.ts';
import type { Settlement } from '../../api/generated/owner.ts';
import type { EnvironmentName } from '../../api/names.ts';
import { settlementQuery } from '../../api/queries.ts';
import { wordsBy } from '../../components/literals.ts';
import { notify } from '../../components/notify.ts';
import { CopyId, Facts, Failure, HIDDEN_LABEL, Panel, Skeletons } from '../../components/page-elements.tsx';
import { State } from '../../components/state.tsx';
import { serverText } from '../../language/server-texts.ts';
import { texts } from '../../texts.ts';
import { payments as paymentsTexts } from './texts.ts';

type Fields = Partial<Omit<Settlement['settings'], 'confirmations'>> & {
  privateKey?: string;
  /** Empty while the user types; the server rejects it. */
  confirmations?: number | '';
};

/** Networks that the server supports by name. */
const NETWORKS = ['base-sepolia', 'base'] as const;

export function SettlementTab() {
  const environment = useEnvironment();
  const settlement = useQuery(settlementQuery(environment));
  if (settlement.isPending) return <Skeletons rows={8} />;
  if (settlement.isError) return <Failure error={settlement.error} retry={() => void settlement.refetch()} />;
  const { settings, status } = settlement.data;
  const t = paymentsTexts;
  return (
    <Grid gap="md">
      <Grid.Col span={{ base: 12, lg: 7 }}>
        <Panel title={t.mode} about={environment === 'staging' ? t.stagingSandbox : t.settlementAbout}>
          {/* The key keeps the form, and unsaved input, when the settings are refetched. */}
          <SettlementForm key={environment} settings={settings} />
        </Panel>
      </Grid.Col>
      <Grid.Col span={{ base: 12, lg: 5 }}>
        <Stack gap="md">
          <Checks status={status} />
          <Panel title={t.terms}>
            <Facts
              rows={[
                [t.names.network, settings.terms.network],
                [t.names.payTo, <CopyId key="to" value={settings.terms.payTo} label={t.names.payTo} />],
                [t.asset, <CopyId key="asset" value={settings.terms.asset} label={t.asset} />],
                ['EIP-712', `${settings.terms.extra.name} ${settings.terms.extra.version}`],
              ]}
            />
          </Panel>
        </Stack>
      </Grid.Col>
    </Grid>
  );
}

function Checks({ status }: { status: Settlement['status'] }) {
  const t = paymentsTexts;
  return (
    <Panel title={t.checks} about={t.checksAbout}>
      <Stack gap="sm">
        <State tone={status.ready ? 'good' : 'bad'}>{status.ready ? t.ready : t.notReady}</State>
        {status.checks.map(({ name, ok, detail }) => (
          <div key={name}>
            <State tone={ok ? 'good' : 'bad'}>{wordsBy(t.checkNames)[name] ?? name}</State>
            <Text size="sm" c="dimmed">
              {serverText(detail)}
            </Text>
          </div>
        ))}
        <Text size="sm">
          {t.open}: {status.open}
        </Text>
      </Stack>
    </Panel>
  );
}

async function refreshSettlement(client: QueryClient, environment: EnvironmentName): Promise<void> {
  await client.invalidateQueries({ queryKey: settlementQuery(environment).queryKey });
  await client.invalidateQueries({ queryKey: ['money', environment] });
}

/** Fields that changed after they were sent. Input typed while the request ran is kept. */
function withoutSentFields(all: Fields, sent: Fields): Fields {
  const known = new Map(Object.entries(sent));
  return Object.fromEntries(Object.entries(all).filter(([name, value]) => known.get(name) !== value));
}

function SettlementForm({ settings }: { settings: Settlement['settings'] }) {
  const environment = useEnvironment();
  const client = useQueryClient();
  const [change, setChange] = useState<Fields>({});
  const t = paymentsTexts;
  const now = { ...settings, ...change };
  const isFixed = (name: string) => settings.fixedFields.includes(name);
  const setFields = (fields: Fields) => setChange((all) => ({ ...all, ...fields }));
  const save = useMutation({
    mutationFn: (sent: Fields) => requestJson(adminPath(environment, '/settlement'), { method: 'PUT', body: sent }),
    onSuccess: async (_, sent) => {
      notify({ message: t.settlementSaved });
      await refreshSettlement(client, environment);
      setChange((all) => withoutSentFields(all, sent));
    },
  });
  const settlementTextField = (name: 'payTo' | 'rpcUrl' | 'facilitatorUrl') => (
    <TextInput
      label={t.fields[name]}
      value={now[name] ?? ''}
      disabled={isFixed(name)}
      description={isFixed(name) ? t.fixed : undefined}
      onChange={(event) => setFields({ [name]: event.currentTarget.value === '' ? null : event.currentTarget.value })}
    />
  );
  const settlementToggle = (name: 'v2Header' | 'payToShared', description?: string) => (
    <Switch
      label={t.fields[name]}
      description={description}
      checked={now[name]}
      disabled={isFixed(name)}
      onChange={(event) => setFields({ [name]: event.currentTarget.checked })}
    />
  );
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        save.mutate(change);
      }}
    >
      <Stack>
        <ModeChoice mode={now.mode} fixed={isFixed('mode')} onChange={(mode) => setFields({ mode })} />
        <Select
          label={t.fields.network}
          data={[...new Set([...NETWORKS, settings.network])]}
          value={now.network}
          disabled={isFixed('network')}
          allowDeselect={false}
          onChange={(value) => setFields({ network: NETWORKS.find((one) => one === value) ?? settings.network })}
        />
        {now.mode !== 'sandbox' && settlementTextField('payTo')}
        {now.mode === 'facilitator' && settlementTextField('facilitatorUrl')}
        {now.mode !== 'sandbox' && settlementTextField('rpcUrl')}
        {now.mode === 'onchain' && <ChainFields settings={settings} change={now} set={setFields} />}
        {settlementToggle('v2Header')}
        {now.mode !== 'sandbox' && settlementToggle('payToShared', t.payToSharedHint)}
        {save.isError && <Failure error={save.error} />}
        <Button
          type="submit"
          loading={save.isPending}
          disabled={Object.keys(change).length === 0}
          style={{ alignSelf: 'flex-start' }}
        >
          {texts.common.save}
        </Button>
      </Stack>
    </form>
  );
}

interface ChainFieldsProps {
  settings: Settlement['settings'];
  change: Fields;
  set: (fields: Fields) => void;
}

function ChainFields({ settings, change, set }: ChainFieldsProps) {
  const { fields, keyKept, keyHint } = paymentsTexts;
  return (
    <>
      <PasswordInput
        label={fields.privateKey}
        description={settings.hasPrivateKey ? keyKept : keyHint}
        autoComplete="off"
        value={change.privateKey ?? ''}
        onChange={(event) => set({ privateKey: event.currentTarget.value })}
      />
      <NumberInput
        label={fields.confirmations}
        min={1}
        max={64}
        allowDecimal={false}
        value={change.confirmations ?? 1}
        onChange={(value) => set({ confirmations: value === '' ? value : Number(value) })}
      />
    </>
  );
}

interface ModeChoiceProps {
  mode: Settlement['settings']['mode'];
  fixed: boolean;
  onChange: (mode: Settlement['settings']['mode']) => void;
}

function ModeChoice({ mode, fixed, onChange }: ModeChoiceProps) {
  const environment = useEnvironment();
  const t = paymentsTexts;
  return (
    <Radio.Group
      label={t.mode}
      labelProps={HIDDEN_LABEL}
      value={mode}
      onChange={(value) => onChange(value as typeof mode)}
      description={fixed && environment !== 'staging' ? t.fixed : undefined}
    >
      <Stack gap="xs">
        {Object.entries(t.modes).map(([value, label]) => (
          <Radio key={value} value={value} label={label} disabled={fixed} />
        ))}
      </Stack>
    </Radio.Group>
  );
}
