import { Alert, Button, Group, Modal, NumberInput, Select, Stack } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { adminPath, ask, fieldErrors, useEnvironment } from '../../api/client.ts';
import type { Account, LimitsView, Plan, WhatIf } from '../../api/generated/owner.ts';
import { accountsKey, limitsQuery } from '../../api/queries.ts';
import { shortId } from '../../components/format.ts';
import { Failure } from '../../components/page-elements.tsx';
import { texts } from '../../texts.ts';

interface PlanDialogProps {
  account: Account;
  limits: LimitsView;
  onClose: () => void;
}

/** Changes the plan of an account and previews the effect on the last minute. */
export function PlanDialog({ account, limits, onClose }: PlanDialogProps) {
  const environment = useEnvironment();
  const client = useQueryClient();
  const [name, setName] = useState<string>(account.plan.plan);
  const [perMinute, setPerMinute] = useState<number | string>(account.allowance.requestsPerMinute);
  const [concurrency, setConcurrency] = useState<number | string>(account.allowance.concurrency);
  const t = texts.limits;
  const plan = (
    name === 'enterprise'
      ? { plan: name, requestsPerMinute: Number(perMinute), concurrency: Number(concurrency) }
      : { plan: name }
  ) as Plan;
  const path = `/accounts/${encodeURIComponent(account.accountId)}`;
  const whatIf = useQuery({
    queryKey: ['what-if', environment, account.accountId, plan],
    queryFn: () => ask<WhatIf>(adminPath(environment, `${path}/what-if`, { ...plan })),
  });
  const save = useMutation({
    mutationFn: () => ask(adminPath(environment, `${path}/plan`), { method: 'PUT', body: plan }),
    onSuccess: async () => {
      onClose();
      notifications.show({ message: t.saved(shortId(account.accountId), t.planNames[name] ?? name) });
      await client.invalidateQueries({ queryKey: accountsKey(environment) });
      await client.invalidateQueries({ queryKey: limitsQuery(environment).queryKey });
    },
  });
  // The preview already reports invalid numbers.
  const refused = fieldErrors(whatIf.error ?? save.error);
  return (
    <Modal opened onClose={onClose} title={`${t.changeTitle} ${shortId(account.accountId)}`}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          save.mutate();
        }}
      >
        <Stack>
          <Select
            label={t.columns.plan}
            data={Object.entries(t.planNames).map(([value, label]) => ({ value, label }))}
            value={name}
            allowDeselect={false}
            onChange={(value) => value !== null && setName(value)}
          />
          {name === 'enterprise' && (
            <OwnNumbers
              bounds={limits.bounds}
              refused={refused}
              {...{ perMinute, setPerMinute, concurrency, setConcurrency }}
            />
          )}
          <Alert variant="default" title={t.whatIf} className="alert">
            {whatIfText(whatIf)}
          </Alert>
          {save.isError && Object.keys(refused).length === 0 && <Failure error={save.error} />}
          <Group justify="flex-end">
            <Button variant="default" onClick={onClose}>
              {texts.common.cancel}
            </Button>
            <Button type="submit" loading={save.isPending}>
              {texts.common.save}
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  );
}

function whatIfText({ data, error }: { data: WhatIf | undefined; error: Error | null }): string {
  if (data !== undefined) return texts.limits.whatIfSaid(data.requests, data.refused, data.slotsOver);
  return error?.message ?? texts.common.loading;
}

interface OwnNumbersProps {
  bounds: LimitsView['bounds'];
  refused: Record<string, string>;
  perMinute: number | string;
  setPerMinute: (value: number | string) => void;
  concurrency: number | string;
  setConcurrency: (value: number | string) => void;
}

/** Limits that only the enterprise plan has. */
function OwnNumbers(props: OwnNumbersProps) {
  const { bounds, refused, perMinute, setPerMinute, concurrency, setConcurrency } = props;
  const whole = { min: 1, allowDecimal: false };
  const t = texts.limits;
  return (
    <Group grow>
      <NumberInput
        {...whole}
        label={t.perMinute}
        max={bounds.requestsPerMinute}
        value={perMinute}
        error={refused.requestsPerMinute}
        onChange={setPerMinute}
      />
      <NumberInput
        {...whole}
        label={t.concurrency}
        max={bounds.concurrency}
        value={concurrency}
        error={refused.concurrency}
        onChange={setConcurrency}
      />
    </Group>
  );
}
