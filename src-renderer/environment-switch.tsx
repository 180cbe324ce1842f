import { Box, Button, Menu } from '@mantine/core';
import { useNavigate, useRouterState } from '@tanstack/react-router';
import { useEnvironment } from './api/client.ts';
import { Icon } from './components/icon.tsx';
import { texts } from './texts.ts';

const ENVIRONMENTS = ['production', 'staging'] as const;

/** Lists whose entries have pages. */
const HOMES = ['/jobs', '/watches'] as const;

/** Chooses between production and staging. */
export function EnvironmentSwitch() {
  const environment = useEnvironment();
  const navigate = useNavigate();
  const path = useRouterState({ select: (state) => state.location.pathname });
  const name = texts.shell.environments[environment];
  return (
    <Menu position="top-start" withinPortal>
      <Menu.Target>
        <Button
          size="compact-sm"
          variant={environment === 'staging' ? 'light' : 'subtle'}
          color={environment === 'staging' ? 'orange' : 'gray'}
          ms="auto"
          aria-label={texts.shell.environment({ name })}
          leftSection={<Icon name="chevrons-up-down" size={14} />}
        >
          <span className="tool-words">{name}</span>
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        {ENVIRONMENTS.map((value) => (
          <Menu.Item
            key={value}
            leftSection={value === environment ? <Icon name="check" size={14} /> : <Box w={14} />}
            onClick={() => {
              // A job or watch belongs to one environment, so switching leads to the list.
              const to = HOMES.find((home) => path.startsWith(`${home}/`)) ?? path;
              void navigate({ to, search: { environment: value === 'staging' ? 'staging' : undefined } as never });
            }}
          >
            {texts.shell.environments[value]}
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  );
}
